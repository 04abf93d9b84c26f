import type { Actor } from "../actor.ts";
import type { ProblemError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import type { HttpPorts } from "./ports.ts";
import type { Route } from "./route.ts";
import type { RouteTable } from "./route-table.ts";

/** Data of one request that its hooks share. */
export type RequestState = {
  readonly startedAt: number;
  readonly requestId: string;
  actor: Actor | undefined;
  tenantId: string | undefined;
  /** When the tenant was created that the request was admitted to. */
  tenantSince: Date | undefined;
  /** The problem that the request was refused with. */
  problem: ProblemError | undefined;
};

declare module "fastify" {
  interface FastifyRequest {
    state: RequestState;
  }
  interface FastifyContextConfig {
    route?: Route;
    /** The operation of an address that is no route of the API, such as a page. */
    op?: string;
  }
}

export type ServerOptions = {
  readonly runtime: Runtime;
  readonly routes: readonly Route[];
  readonly table: RouteTable;
  readonly ports: HttpPorts;
  /**
   * The number of reverse proxies in front of the service, whose headers about the caller's address
   * are trusted.
   */
  readonly trustedProxies: number;
  /** The folder for large bodies that wait. */
  readonly uploadFolder: string;
  /** Refuses to send an answer that differs from its documentation; set in tests. */
  readonly checkReplies: boolean;
};
