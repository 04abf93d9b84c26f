import { BriefCache } from "#kernel/brief-cache.ts";
import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { hasRoom, hasUnreadableRoom, type Waiting } from "./inbox.room.ts";
import { countUnreadable, countWaiting } from "./inbox-state.repository.ts";

/** Counted about once a second; what this process has stored since then is added. */
type Count = { -readonly [Name in keyof Waiting]: Waiting[Name] };

type Counter = (context: TenantContext, connector: string) => Promise<Waiting>;

const countsBy = (count: Counter) =>
  perRuntime(
    (runtime) =>
      new BriefCache<Count>((name) => {
        const [tenantId = "", connector = ""] = name.split(" ");
        return count(systemCall(runtime, "inbox.receive", { tenantId }), connector);
      }),
  );

const waitingIn = countsBy(countWaiting);
const unreadableIn = countsBy(countUnreadable);

/**
 * Takes room for a delivery of this size; false if there is none. Several processes may together exceed
 * the limit by what they store within a second.
 */
export async function takeRoom(
  runtime: Runtime,
  tenantId: string,
  connector: string,
  sizeBytes: number,
): Promise<boolean> {
  const count = await waitingIn(runtime).get(`${tenantId} ${connector}`);
  return hasRoom(count, sizeBytes) && take(count, sizeBytes);
}

/** The same for one that cannot be read. */
export async function takeUnreadableRoom(
  runtime: Runtime,
  tenantId: string,
  connector: string,
  sizeBytes: number,
): Promise<boolean> {
  const count = await unreadableIn(runtime).get(`${tenantId} ${connector}`);
  return hasUnreadableRoom(count, sizeBytes) && take(count, sizeBytes);
}

function take(count: Count, sizeBytes: number): true {
  count.deliveries += 1;
  count.sizeBytes += sizeBytes;
  return true;
}
