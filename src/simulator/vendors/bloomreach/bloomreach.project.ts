import type { Customer } from "./bloomreach.customers.ts";

export type Project = {
  readonly token: string;
  readonly apiKeyId: string;
  readonly apiKeySecret: string;
  readonly categories: readonly string[];
  readonly requestsPerMinute: number;
  readonly forbiddenEvents: readonly string[];
  readonly forbiddenAttributes: readonly string[];
  readonly mayExport: boolean;
  readonly customers: Customer[];
  /** How many requests were dropped because there were too many. */
  dropped: number;
  /** Counted by the minute, by the time of the vendors. */
  counted: { minute: number; requests: number };
};
