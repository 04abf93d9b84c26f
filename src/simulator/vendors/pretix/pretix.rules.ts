import { type DeliveryRules, isSuccess } from "../deliveries/delivery.ts";

const HOUR = 3_600;

/** Half a minute; retries for about three days; a redirect is a failure, and 410 disables. */
export const RULES: DeliveryRules = {
  deadlineMs: 30_000,
  retryDelaysSeconds: [
    5,
    30,
    60,
    300,
    1_200,
    HOUR,
    4 * HOUR,
    6 * HOUR,
    12 * HOUR,
    12 * HOUR,
    24 * HOUR,
  ],
  judge(attempt) {
    if (attempt.status === 410) return "end-subscription";
    return isSuccess(attempt) ? "delivered" : "retry";
  },
};
