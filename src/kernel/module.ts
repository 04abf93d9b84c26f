import type { FastifyInstance } from "fastify";
import type { SealedColumn } from "./crypto/sealed-column.ts";
import type { TenantTx } from "./db/transaction.ts";
import type { EventDefinition } from "./events/define.ts";
import type { StoredEvent } from "./events/outbox.ts";
import type { Route } from "./http/route.ts";
import type { JobDefinition } from "./jobs/define.ts";
import type { Runtime } from "./runtime.ts";

/** Hears events inside the transaction that emitted them: what it writes is part of the change. */
export type Listener = {
  /** Exact name, a trailing `*`, or `*` alone. */
  readonly events: string;
  hear(tx: TenantTx, events: readonly StoredEvent[]): Promise<void>;
};

export type Module = {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly jobs: readonly JobDefinition[];
  readonly events: readonly EventDefinition[];
  readonly listeners: readonly Listener[];
  /** What it seals, wherever it keeps it: sealed anew when the master key changes. */
  readonly sealed: readonly SealedColumn[];
  /** Caches and timers of this module; gives what stops them. */
  start?(runtime: Runtime): Promise<() => Promise<void>>;
  /** What goes on by itself in a process with the role `worker`; gives what stops it. */
  work?(runtime: Runtime): Promise<() => Promise<void>>;
  /** Doors that are not operations of the API: pages and other protocols. */
  plug?(app: FastifyInstance, runtime: Runtime): void;
};

type Optional = "routes" | "jobs" | "events" | "listeners" | "sealed";

/** All that the wiring sees of a module. */
export function defineModule(
  module: Omit<Module, Optional> & Partial<Pick<Module, Optional>>,
): Module {
  return { routes: [], jobs: [], events: [], listeners: [], sealed: [], ...module };
}
