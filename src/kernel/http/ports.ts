import type { Actor } from "../actor.ts";
import type { Route } from "./route.ts";

/** What a request carries to prove who sent it. */
export type Credentials = {
  readonly apiKey: string | undefined;
  readonly bearer: string | undefined;
  readonly ip: string;
};

export type RateDecision = {
  readonly allowed: boolean;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

export type RateLimitedRoute = Pick<Route, "op" | "method" | "rateLimit">;

/** What the HTTP layer needs from the modules above it; `main` provides the implementations. */
export type HttpPorts = {
  /** Throws 401, or 429 when an address keeps trying wrong credentials. */
  authenticate(credentials: Credentials, tenantId: string | undefined): Promise<Actor> | Actor;
  /** The tenant that owns this host name; undefined for all other names. */
  tenantOfHost(host: string): Promise<string | undefined> | string | undefined;
  /**
   * Calls `tell` when rights may have been removed: in one tenant, or in any tenant if it is
   * undefined.
   */
  onRightsChanged(tell: (tenantId: string | undefined) => void): void;
  /** When the tenant was created; undefined if there is none. */
  tenantSince(tenantId: string): Promise<Date | undefined> | undefined;
  takeToken(
    tenantId: string,
    credentialId: string,
    route: RateLimitedRoute,
  ): Promise<RateDecision> | RateDecision;
};
