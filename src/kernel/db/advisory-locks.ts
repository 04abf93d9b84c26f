/**
 * The numbers of the advisory locks that processes take while they start. PostgreSQL tells locks of
 * a database apart by number alone, so two locks with the same number would wait for each other.
 */
export const ADVISORY_LOCKS = {
  /** Held while the schema is brought to the newest release. */
  migrations: 4_711_220_815,
  /** Held while the queues of background jobs are prepared. */
  jobQueues: 4_711_220_816,
  /** Held while a start does what must be done by one process alone. */
  start: 4_711_220_817,
} as const;
