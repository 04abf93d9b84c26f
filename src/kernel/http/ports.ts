import type { Actor } from "../context.ts";
import type { Route } from "./route.ts";

/** What a request brings to prove who sends it. */
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

/** What the HTTP layer asks of the modules above it; `main` plugs in the answers. */
export type HttpPorts = {
  /** Throws 401 (or 429 when an address keeps guessing). */
  authenticate(credentials: Credentials, tenantId: string | undefined): Promise<Actor> | Actor;
  /** The tenant whose own host name this is; undefined for all other names. */
  tenantOfHost(host: string): Promise<string | undefined> | string | undefined;
  /** Calls back when rights may have ended: those held in one tenant, or, without one, anybody's. */
  onRightsChanged(tell: (tenantId: string | undefined) => void): void;
  tenantExists(tenantId: string): Promise<boolean> | boolean;
  takeToken(
    tenantId: string,
    credentialId: string,
    route: RateLimitedRoute,
  ): Promise<RateDecision> | RateDecision;
};
