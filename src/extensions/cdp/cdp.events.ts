import { isObject } from "#kernel/json.ts";
import type { OutboundEvent } from "../kit/outbound.ts";
import { customerIdsOf } from "./cdp.identity.ts";

/** Which events the platform is told, and in what words. Rules only. */

type Told = {
  readonly type: string;
  /** Only what says what happened: who somebody is, the platform knows better. */
  properties(data: Readonly<Record<string, unknown>>): Record<string, unknown>;
};

const ofPass = (data: Readonly<Record<string, unknown>>) => ({
  pass_id: data.id,
  pass_type: data.passType,
  pass_status: data.status,
  pass_version: data.version,
});

const TOLD: Readonly<Record<string, Told>> = {
  "pass.created": { type: "pass_created", properties: ofPass },
  "pass.updated": { type: "pass_updated", properties: ofPass },
  "pass.installed": {
    type: "pass_installed",
    properties: (data) => ({ ...ofPass(data), wallet: data.wallet }),
  },
  "pass.uninstalled": {
    type: "pass_removed",
    properties: (data) => ({ ...ofPass(data), wallet: data.wallet }),
  },
  "scan.recorded": {
    type: "pass_scanned",
    properties: (data) => ({
      pass_id: data.passId,
      pass_type: isObject(data.pass) ? data.pass.passType : undefined,
      scan_id: data.scanId,
      scan_type: data.type,
      decision: data.decision,
      reason: data.reason,
      location: data.location,
      device_id: data.deviceId,
    }),
  },
  "privilege.moved": {
    type: "privilege_moved",
    properties: (data) => ({
      pass_id: data.passId,
      privilege_id: data.privilegeId,
      movement_id: data.movementId,
      movement_type: data.type,
      value: data.value,
      value_before: data.valueBefore,
      value_after: data.valueAfter,
    }),
  },
};

export const TOLD_EVENTS: readonly string[] = Object.keys(TOLD);

export type CdpCommand = {
  readonly name: "customers/events";
  readonly command_id: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Undefined for an event about nobody whom the platform knows. */
export function commandOf(event: OutboundEvent): CdpCommand | undefined {
  const told = TOLD[event.name];
  const ids = customerIdsOf(event.identifiers);
  if (told === undefined || ids === undefined) return undefined;
  const properties = Object.entries(told.properties(event.data)).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return {
    name: "customers/events",
    // The same at each try, so that the platform can tell a repetition.
    command_id: event.id,
    data: {
      customer_ids: ids,
      event_type: told.type,
      // In seconds: milliseconds would be taken for a time in the far future.
      timestamp: event.occurredAt.getTime() / 1_000,
      properties: Object.fromEntries(properties),
    },
  };
}
