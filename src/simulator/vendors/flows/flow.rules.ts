import type { Attempt, DeliveryRules, Verdict } from "../deliveries/delivery.ts";

/** A vendor whose journeys call with an API key, by the name that it has here. */
export type FlowKind = { readonly name: string; readonly rules: DeliveryRules };

const HOUR_SECONDS = 3_600;

const isSaidNo = ({ answer }: Attempt): boolean => {
  try {
    return (JSON.parse(answer) as { success?: unknown }).success === false;
  } catch {
    return false;
  }
};

/** Tried again after these alone, 17 times in a day; anything else skips the profile. */
const KLAVIYO_RETRIES: readonly (number | null)[] = [429, 500, 502, 503, null];

export const KLAVIYO: FlowKind = {
  name: "klaviyo",
  rules: {
    deadlineMs: 30_000,
    // The vendor does not publish the waits.
    retryDelaysSeconds: Array.from({ length: 17 }, () => HOUR_SECONDS),
    judge({ status }): Verdict {
      if (status !== null && status < 300) return "delivered";
      return KLAVIYO_RETRIES.includes(status) ? "retry" : "failed";
    },
  },
};

/** These end the webhook for all customers. */
const STOPS: readonly (number | null)[] = [400, 404, 410, 412, 413, 418];

/** The webhook of a scenario at Bloomreach. */
export const SCENARIOS: FlowKind = {
  name: "scenarios",
  rules: {
    deadlineMs: 1_000,
    // The vendor does not publish the waits.
    retryDelaysSeconds: [10, 60, 600],
    judge(attempt): Verdict {
      const { status } = attempt;
      if (status === null || status >= 500) return "retry";
      if (STOPS.includes(status)) return "end-subscription";
      return status < 300 && !isSaidNo(attempt) ? "delivered" : "failed";
    },
  },
};
