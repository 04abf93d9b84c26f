import type { Check } from "./siteverify.schema.ts";

/** What one of the services is like, apart from the shape of requests, which they share. */
export type CheckRules = {
  readonly path: string;
  readonly tokenSeconds: number;
  readonly takesJson: boolean;
  /** What is said of a token that was used before, and of one that is too old. */
  readonly spent: string;
  readonly expired: string;
};

export const RULES: Readonly<Record<Check, CheckRules>> = {
  turnstile: {
    path: "/turnstile/v0/siteverify",
    tokenSeconds: 300,
    takesJson: true,
    spent: "timeout-or-duplicate",
    expired: "timeout-or-duplicate",
  },
  hcaptcha: {
    path: "/siteverify",
    tokenSeconds: 120,
    takesJson: false,
    spent: "already-seen-response",
    expired: "expired-input-response",
  },
  "recaptcha-v2": {
    path: "/recaptcha/api/siteverify",
    tokenSeconds: 120,
    takesJson: false,
    spent: "timeout-or-duplicate",
    expired: "timeout-or-duplicate",
  },
  "recaptcha-v3": {
    path: "/recaptcha/api/siteverify",
    tokenSeconds: 120,
    takesJson: false,
    spent: "timeout-or-duplicate",
    expired: "timeout-or-duplicate",
  },
};

export type TestSite = {
  readonly check: Check;
  readonly secret: string;
  readonly siteKey: string;
  /** Undefined for any token. */
  readonly token: string | undefined;
  readonly outcome: "pass" | "fail" | "spent";
};

const zeros = (count: number): string => "0".repeat(count);

/** The keys that the services publish for trials. */
export const TEST_SITES: readonly TestSite[] = [
  turnstile("1", "pass", "1x00000000000000000000AA"),
  turnstile("2", "fail", "2x00000000000000000000AB"),
  turnstile("3", "spent", "3x00000000000000000000FF"),
  {
    check: "hcaptcha",
    secret: `0x${zeros(40)}`,
    siteKey: "10000000-ffff-ffff-ffff-000000000001",
    token: "10000000-aaaa-bbbb-cccc-000000000001",
    outcome: "pass",
  },
  {
    check: "recaptcha-v2",
    secret: "6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe",
    siteKey: "6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI",
    token: undefined,
    outcome: "pass",
  },
];

/** Secrets that begin with the digit of what they do; tokens of the test widget only. */
function turnstile(digit: string, outcome: TestSite["outcome"], siteKey: string): TestSite {
  const token = "XXXX.DUMMY.TOKEN.XXXX";
  return { check: "turnstile", secret: `${digit}x${zeros(31)}AA`, siteKey, token, outcome };
}
