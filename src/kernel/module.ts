import type { FastifyInstance } from "fastify";
import type { SealedColumn } from "./crypto/sealed-column.ts";
import type { EventDefinition } from "./events/define.ts";
import type { Listener } from "./events/listen.ts";
import type { Route } from "./http/route.ts";
import type { JobDefinition } from "./jobs/define.ts";
import type { Provision } from "./port.ts";
import type { Runtime } from "./runtime.ts";

/** Everything that other modules and `main` see of one module. */
export type Module = {
  /** The name of the module's folder. */
  readonly name: string;
  /** The API operations of the module, made by `defineRoute`. */
  readonly routes: readonly Route[];
  /**
   * The background jobs of the module, made by `defineJob`: run by schedule or when a transaction
   * enqueues them.
   */
  readonly jobs: readonly JobDefinition[];
  /** The events that the module emits, all of which are published to subscribers. */
  readonly events: readonly EventDefinition[];
  /**
   * Listeners to events of this module or of modules below, made by `listen`; they run in the
   * transaction that emits the event.
   */
  readonly listeners: readonly Listener[];
  /**
   * What the module offers to ports of modules below, made by `provide`; those modules do not know
   * this one.
   */
  readonly provides: readonly Provision[];
  /**
   * The columns with sealed values of the module; they are resealed when the master key changes.
   */
  readonly sealed: readonly SealedColumn[];
  /**
   * The URLs of the files that declare the module's configuration files. They are URLs because
   * other processes load only these files, and not the modules.
   */
  readonly configFiles: readonly URL[];
  /**
   * Creates caches and timers before the first request, and returns the function that ends them.
   */
  start?(runtime: Runtime): Promise<() => Promise<void>>;
  /**
   * Starts the continuous work of a process with the role `worker`, and returns the function that
   * stops it.
   */
  work?(runtime: Runtime): Promise<() => Promise<void>>;
  /**
   * Listens on a port of its own for another protocol than HTTP, in a process with the role of that
   * protocol, and returns the function that stops it.
   */
  listen?(runtime: Runtime, address: PortAddress): Promise<() => Promise<void>>;
  /** Adds addresses that are not API operations: pages and other protocols. */
  plug?(app: FastifyInstance, runtime: Runtime): void;
};

export type PortAddress = { readonly host: string; readonly port: number };

const NOTHING = {
  routes: [],
  jobs: [],
  events: [],
  listeners: [],
  provides: [],
  sealed: [],
  configFiles: [],
};

/** Fills in empty lists, so that a module names only what it has. */
export function defineModule(
  module: Omit<Module, keyof typeof NOTHING> & Partial<Pick<Module, keyof typeof NOTHING>>,
): Module {
  return { ...NOTHING, ...module };
}
