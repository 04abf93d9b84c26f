import type { Clock } from "./clock.ts";
import type { Sealer } from "./crypto/sealer.ts";
import type { Database } from "./db/database.ts";
import type { Signals } from "./db/signals.ts";
import type { GuardedHttp } from "./egress/guarded-fetch.ts";
import type { Metrics } from "./http/metrics.ts";
import type { Log } from "./log.ts";

export type Environment = "staging" | "production";

/** The running process, as the modules may see it. */
export type Runtime = {
  readonly environment: Environment;
  /** Public address without a trailing slash. */
  readonly baseUrl: string;
  /** `AUTH_ISSUER`; undefined means our own authorization server issues the tokens. */
  readonly authIssuer: string | undefined;
  /** Our reference page's client at that issuer. */
  readonly authClientId: string | undefined;
  readonly db: Database;
  readonly signals: Signals;
  readonly sealer: Sealer;
  readonly metrics: Metrics;
  /** The only way out to addresses that tenants choose. */
  readonly egress: GuardedHttp;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the process is told to stop: it finishes what it has and asks for no more. */
  readonly stopping: AbortSignal;
};
