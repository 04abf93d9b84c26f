import { isObject, parseJson } from "#kernel/json.ts";

/** What Apple's push service answered to one push. */
export type PushAnswer = {
  readonly status: number;
  readonly reason: string | undefined;
  /** Since when the token is no longer valid; with status 410 only. */
  readonly goneAt: Date | undefined;
};

/**
 * - `accepted`: the device is told.
 * - `gone`: the device no longer has the pass.
 * - `bad-token`: the token is wrong for this pass type, and will stay so.
 * - `refused`: Apple does not accept the certificate; every other push would fail as well.
 * - `later`: Apple has a problem, or too much to do.
 * - `fault`: the request itself is wrong, which is a fault of this service or of its settings.
 */
export type PushVerdict = "accepted" | "gone" | "bad-token" | "refused" | "later" | "fault";

const BAD_TOKEN = new Set(["BadDeviceToken", "DeviceTokenNotForTopic"]);
/** The certificate is not for this pass type: as bad as one that is refused. */
const BAD_TOPIC = new Set(["TopicDisallowed", "BadTopic"]);

export function judge({ status, reason = "" }: PushAnswer): PushVerdict {
  if (status === ACCEPTED.status) return "accepted";
  if (status === 410) return "gone";
  if (status === 403) return "refused";
  if (status === 429 || status >= 500) return "later";
  if (status === 400 && BAD_TOKEN.has(reason)) return "bad-token";
  if (status === 400 && BAD_TOPIC.has(reason)) return "refused";
  return status === 400 && reason === "IdleTimeout" ? "later" : "fault";
}

/** Nearly every answer: one object for all of them. */
export const ACCEPTED: PushAnswer = { status: 200, reason: undefined, goneAt: undefined };

/** Reasons are words of Apple; anything else is not kept. */
const REASON = /^[A-Za-z]{1,60}$/;

export function readAnswer(status: number, body: string): PushAnswer {
  // Accepted pushes have no body, and an exception for each would take a tenth of the time.
  if (status === ACCEPTED.status && body === "") return ACCEPTED;
  const told = parse(body);
  const { reason, timestamp } = told;
  return {
    status,
    reason: typeof reason === "string" && REASON.test(reason) ? reason : undefined,
    goneAt: typeof timestamp === "number" ? validDate(timestamp) : undefined,
  };
}

function parse(body: string): Readonly<Record<string, unknown>> {
  if (body === "") return {};
  const value = parseJson(body);
  return isObject(value) ? value : {};
}

function validDate(milliseconds: number): Date | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
