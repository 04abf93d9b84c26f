import Type, { type Static } from "typebox";

export const PROVIDERS = ["turnstile", "hcaptcha", "recaptcha"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** The members of `server/bot-check.yml`. The secret of the vendor is none of them. */
export const botCheckMembers = {
  provider: Type.Enum([...PROVIDERS], {
    description: "Who tells people from programs.",
    examples: ["turnstile"],
  }),
  siteKey: Type.String({
    pattern: "^[A-Za-z0-9_.-]{1,100}$",
    hint: "Copy the site key from the vendor's page. It is not the secret.",
    mustBe: "the site key of the vendor",
    description: "The public key of the widget.",
    examples: ["0x4AAAAAAADnPIDROrmt1Wwj"],
  }),
  hostnames: Type.Optional(
    Type.Array(
      Type.String({
        pattern: "^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$",
        hint: "Use a host name without https:// and port.",
        mustBe: "a host name",
      }),
      {
        minItems: 1,
        maxItems: 20,
        description:
          "The hosts on which the widget may be solved; default: the host of the tenant's public pages.",
        examples: [["passes.cafe-lune.example"]],
      },
    ),
  ),
  action: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_-]{1,32}$",
      hint: "Use letters, digits, '_' and '-', at most 32 of them.",
      mustBe: "1 to 32 letters, digits, '_' and '-'",
      description:
        "What the widget was solved for; Turnstile and scores of reCAPTCHA tell it. Default: not checked.",
      examples: ["enrol"],
    }),
  ),
  minimumScore: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "The least score of reCAPTCHA v3. Without it, the key is one of v2, with its checkbox.",
      examples: [0.5],
    }),
  ),
  verifyUrl: Type.Optional(
    Type.String({
      pattern: "^https?://[^\\s]{1,500}$",
      hint: "Use an address of a simulated vendor, or leave it out.",
      mustBe: "an address",
      description: "Another address to ask, such as the simulator's. Only in staging.",
      examples: ["http://localhost:8081/turnstile/v0/siteverify"],
    }),
  ),
};
export type BotCheckSettings = Static<Type.TObject<typeof botCheckMembers>>;

/** What the schema cannot say, by member. */
export function settingsProblems(settings: BotCheckSettings): Record<string, string[]> {
  const { provider, action, minimumScore } = settings;
  const hasScore = minimumScore !== undefined;
  return {
    ...(hasScore && provider !== "recaptcha"
      ? { minimumScore: ["is for reCAPTCHA alone: the others give no such score"] }
      : {}),
    ...(action !== undefined && !tellsAction(settings)
      ? { action: ["is told by Turnstile, and by reCAPTCHA with minimumScore, alone"] }
      : {}),
  };
}

/** Whether the vendor says for which action a widget was solved. */
export function tellsAction({ provider, minimumScore }: BotCheckSettings): boolean {
  return provider === "turnstile" || (provider === "recaptcha" && minimumScore !== undefined);
}
