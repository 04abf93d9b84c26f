import type { Clock } from "./clock.ts";
import type { Sealer } from "./crypto/sealer.ts";
import type { Database } from "./db/database.ts";
import type { Signals } from "./db/signals.ts";
import type { GuardedHttp } from "./egress/guarded-fetch.ts";
import type { Environment } from "./environment.ts";
import type { Metrics } from "./http/metrics.ts";
import type { Log } from "./log.ts";
import type { Ports } from "./port.ts";

/** The running application, as modules see it. */
export type Runtime = {
  readonly environment: Environment;
  /** The public address, without a trailing slash. */
  readonly baseUrl: string;
  /** The setting `AUTH_ISSUER`; undefined if our own authorization server issues the tokens. */
  readonly authIssuer: string | undefined;
  /** The id of the reference page's client at that issuer. */
  readonly authClientId: string | undefined;
  readonly db: Database;
  readonly signals: Signals;
  readonly sealer: Sealer;
  readonly metrics: Metrics;
  /** The only way to call addresses that tenants choose. */
  readonly egress: GuardedHttp;
  /** The offers of modules to the ports of modules below them. */
  readonly ports: Ports;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the process must stop: it then finishes its work and starts nothing new. */
  readonly stopping: AbortSignal;
};
