/** One channel of the database carries all signals; the first word of a payload names ours. */
export const SIGNAL_CHANNEL = "billfold";
