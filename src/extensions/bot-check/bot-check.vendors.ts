import type { BotCheckSettings, Provider } from "./bot-check.settings.ts";

/** What differs between the vendors. */
export type Vendor = {
  readonly title: string;
  readonly verifyUrl: string;
  /** The longest token that it gives, in characters, and some room. */
  readonly tokenLengthMax: number;
  /** The field of a form in which its widget puts the token. */
  readonly formField: string;
  readonly script: string;
  /** Whether the address of the script names the language; otherwise the element does. */
  readonly hasLanguageInAddress: boolean;
  /** The class of the element in which the script draws the widget. */
  readonly widgetClass: string;
  /** What a page with the widget may load, and nothing else. */
  readonly sources: {
    readonly script: readonly string[];
    readonly frame: readonly string[];
    readonly connect: readonly string[];
    readonly style: readonly string[];
  };
  /** Published secrets that accept or refuse everyone, for tests. */
  readonly testSecrets: readonly string[];
};

const turnstile = "https://challenges.cloudflare.com";
const hcaptcha = ["https://hcaptcha.com", "https://*.hcaptcha.com"];
const recaptcha = "https://www.google.com/recaptcha/";

export const VENDORS: Readonly<Record<Provider, Vendor>> = {
  turnstile: {
    title: "Cloudflare Turnstile",
    verifyUrl: `${turnstile}/turnstile/v0/siteverify`,
    tokenLengthMax: 2_048,
    formField: "cf-turnstile-response",
    script: `${turnstile}/turnstile/v0/api.js`,
    hasLanguageInAddress: false,
    widgetClass: "cf-turnstile",
    sources: { script: [turnstile], frame: [turnstile], connect: [], style: [] },
    testSecrets: [
      "1x0000000000000000000000000000000AA",
      "2x0000000000000000000000000000000AA",
      "3x0000000000000000000000000000000AA",
    ],
  },
  hcaptcha: {
    title: "hCaptcha",
    verifyUrl: "https://api.hcaptcha.com/siteverify",
    tokenLengthMax: 8_192,
    formField: "h-captcha-response",
    script: "https://js.hcaptcha.com/1/api.js",
    hasLanguageInAddress: true,
    widgetClass: "h-captcha",
    sources: { script: hcaptcha, frame: hcaptcha, connect: hcaptcha, style: hcaptcha },
    testSecrets: ["0x0000000000000000000000000000000000000000"],
  },
  recaptcha: {
    title: "Google reCAPTCHA",
    verifyUrl: "https://www.google.com/recaptcha/api/siteverify",
    tokenLengthMax: 8_192,
    formField: "g-recaptcha-response",
    script: "https://www.google.com/recaptcha/api.js",
    hasLanguageInAddress: true,
    widgetClass: "g-recaptcha",
    sources: {
      script: [recaptcha, "https://www.gstatic.com/recaptcha/"],
      frame: [recaptcha, "https://recaptcha.google.com/recaptcha/"],
      connect: [recaptcha],
      style: [],
    },
    testSecrets: ["6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe"],
  },
};

export const TOKEN_LENGTH_MAX = Math.max(
  ...Object.values(VENDORS).map(({ tokenLengthMax }) => tokenLengthMax),
);

/** With such a secret everybody passes, or nobody. */
export function isTestSecret(secret: string): boolean {
  return Object.values(VENDORS).some(({ testSecrets }) => testSecrets.includes(secret));
}

export function verifyUrlOf({ provider, verifyUrl }: BotCheckSettings): string {
  return verifyUrl ?? VENDORS[provider].verifyUrl;
}

type Environment = "staging" | "production";

/** What must not be used in production, by member of the request that sets the check up. */
export function unfitForProduction(
  environment: Environment,
  { verifyUrl }: BotCheckSettings,
  secret: string,
): Record<string, string[]> {
  if (environment !== "production") return {};
  return {
    ...(isTestSecret(secret) ? { secret: ["is a test secret, which lets everybody through"] } : {}),
    ...(verifyUrl === undefined ? {} : { verifyUrl: ["is for staging alone"] }),
  };
}
