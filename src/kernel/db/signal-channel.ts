/**
 * One channel of PostgreSQL carries all signals; the first word of a payload names our own channel.
 */
export const SIGNAL_CHANNEL = "billfold";
