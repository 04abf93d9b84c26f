import { BriefCache } from "#kernel/brief-cache.ts";
import { systemCall } from "#kernel/call.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { connectors, findConnector } from "../connectors.ts";
import type { Connection } from "../kit/connector.ts";
import { CONNECTION_SIGNAL, readSecrets } from "../settings/connection.service.ts";
import { findAddress } from "./address.repository.ts";
import { tokenDigests } from "./address.service.ts";

/** What must be known of an inbox to take a delivery: many arrive in a row. */
export type Door = {
  readonly digests: readonly Buffer[];
  readonly secrets: Connection["secrets"];
};

const doorsIn = perRuntime((runtime) => {
  const doors = new BriefCache((name) => load(runtime, name));
  runtime.signals.on(CONNECTION_SIGNAL, (tenantId) => {
    for (const { name } of connectors) doors.forget(doorName(tenantId, name));
  });
  runtime.signals.onGap(() => doors.forget());
  return doors;
});

const doorName = (tenantId: string, connector: string) => `${tenantId} ${connector}`;

/** As of less than a second ago; undefined if nobody was given an address. */
export function findDoor(
  runtime: Runtime,
  tenantId: string,
  connector: string,
): Promise<Door | undefined> {
  return doorsIn(runtime).get(doorName(tenantId, connector));
}

async function load(runtime: Runtime, name: string): Promise<Door | undefined> {
  const [tenantId = "", connectorName = ""] = name.split(" ");
  const connector = findConnector(connectorName);
  const context = systemCall(runtime, "inbox.receive", { tenantId });
  const address = await findAddress(context, connectorName);
  if (connector === undefined || address === undefined) return undefined;
  return {
    digests: tokenDigests(runtime, tenantId, address, runtime.clock.now()),
    secrets: await readSecrets(context, connector),
  };
}
