import { createLog } from "#kernel/log.ts";
import { startApplication } from "#main/application.ts";
import { loadConfig } from "#main/config.ts";

/** A worker process whose wall clock shows what its parent says. */

type Orders = { readonly env: Record<string, string>; readonly now: number };

if (import.meta.main) {
  const orders: Orders = JSON.parse(process.argv[2] ?? "{}");
  let now = orders.now;
  const log = createLog({ level: "warn", destination: process.stderr });
  const application = await startApplication(loadConfig(orders.env), {
    log,
    clock: { now: () => new Date(now) },
  });
  process.on("message", (time: number) => {
    now = time;
    process.send?.(now);
  });
  process.on("disconnect", () => void application.stop());
  process.send?.("ready");
}
