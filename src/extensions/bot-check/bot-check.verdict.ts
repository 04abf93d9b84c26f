import { isObject } from "#kernel/json.ts";
import { type BotCheckSettings, tellsAction } from "./bot-check.settings.ts";

/** What became of a check. Everything but `isPerson: true` is a refusal. */
export type Verdict =
  | {
      readonly isPerson: true;
      readonly hostname: string | undefined;
      readonly action: string | undefined;
      readonly score: number | undefined;
      readonly challengedAt: string | undefined;
    }
  | {
      readonly isPerson: false;
      /** `unavailable` if the vendor gave no answer that can be relied on. */
      readonly reason: "refused" | "unavailable";
      /** One sentence without a secret, for whoever set the check up. */
      readonly detail: string;
      /** As the vendor gave them. */
      readonly codes: readonly string[];
    };

const MEANINGS: Readonly<Record<string, string>> = {
  "timeout-or-duplicate": "The token is too old, or was used before.",
  "already-seen-response": "The token was used before.",
  "invalid-or-already-seen-response": "The token is not valid, or was used before.",
  "expired-input-response": "The token is too old.",
  "invalid-input-response": "The token is not valid.",
  "missing-input-response": "The token is missing.",
  "not-using-dummy-passcode": "A test secret takes the test token alone.",
};

/** With these, the fault is not the visitor's. */
const FAULTS: Readonly<Record<string, string>> = {
  "missing-input-secret": "The vendor was sent no secret.",
  "invalid-input-secret": "The vendor does not know the secret. Store it again.",
  "sitekey-secret-mismatch": "The secret does not belong to the site key.",
  "not-using-dummy-secret": "The test site key takes the test secret alone.",
  "bad-request": "The vendor could not read the request.",
  "internal-error": "The vendor had a failure of its own.",
};

const CODES_MAX = 10;
const CODE = /^[a-z0-9-]{1,64}$/;
const TEXT_LENGTH_MAX = 253;

export type Expected = {
  readonly settings: BotCheckSettings;
  readonly hostnames: readonly string[];
  /** With a test secret, vendors answer with a host name and an action of their own. */
  readonly isTest: boolean;
};

/** Reads the answer of a vendor. Not only `success` counts: a token of another site has it too. */
export function judge(answer: unknown, expected: Expected): Verdict {
  if (!isObject(answer) || typeof answer.success !== "boolean") {
    return unavailable("The answer of the vendor cannot be read.");
  }
  if (!answer.success) return refusedBy(answer["error-codes"]);
  const hostname = textOf(answer.hostname);
  const action = textOf(answer.action);
  const score = typeof answer.score === "number" ? answer.score : undefined;
  const problem = expected.isTest ? undefined : mismatch({ hostname, action }, expected);
  const wrong = problem ?? lowScore(score, expected.settings);
  if (wrong !== undefined) return refused(wrong);
  return { isPerson: true, hostname, action, score, challengedAt: textOf(answer.challenge_ts) };
}

type Told = { readonly hostname: string | undefined; readonly action: string | undefined };

function mismatch(told: Told, { settings, hostnames }: Expected): string | undefined {
  const host = told.hostname?.toLowerCase();
  const isKnown = hostnames.some((name) => name.toLowerCase() === host);
  if (!isKnown) {
    return `The widget was solved on '${told.hostname ?? "no host"}', which is not one of the hostnames.`;
  }
  if (settings.action === undefined || !tellsAction(settings)) return undefined;
  if (told.action === settings.action) return undefined;
  return `The widget was solved for the action '${told.action ?? ""}' instead of '${settings.action}'.`;
}

function lowScore(
  score: number | undefined,
  { minimumScore }: BotCheckSettings,
): string | undefined {
  if (minimumScore === undefined) return undefined;
  if (score === undefined) return "The vendor gave no score: the key is not one of reCAPTCHA v3.";
  return score >= minimumScore ? undefined : `The score ${score} is below ${minimumScore}.`;
}

function refusedBy(told: unknown): Verdict {
  const all = Array.isArray(told) ? told : [];
  const codes = all
    .filter((code): code is string => typeof code === "string" && CODE.test(code))
    .slice(0, CODES_MAX);
  const fault = codes.map((code) => FAULTS[code]).find((text) => text !== undefined);
  if (fault !== undefined) return unavailable(fault, codes);
  const meaning = codes.map((code) => MEANINGS[code]).find((text) => text !== undefined);
  return refused(meaning ?? "The vendor takes the visitor for a program.", codes);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, TEXT_LENGTH_MAX) : undefined;
}

export function refused(detail: string, codes: readonly string[] = []): Verdict {
  return { isPerson: false, reason: "refused", detail, codes };
}

export function unavailable(detail: string, codes: readonly string[] = []): Verdict {
  return { isPerson: false, reason: "unavailable", detail, codes };
}
