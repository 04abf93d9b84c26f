import Type, { type Static } from "typebox";
import { TOKEN_LENGTH_MAX } from "./bot-check.vendors.ts";
import type { Verdict } from "./bot-check.verdict.ts";

export const BotCheckAsked = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: TOKEN_LENGTH_MAX,
      description: "As the widget gave it. It can be checked once.",
    }),
    remoteIp: Type.Optional(
      Type.String({
        pattern: "^[0-9A-Fa-f:.]{2,45}$",
        mustBe: "an IP address",
        description: "The address of the visitor, told to the vendor.",
        examples: ["203.0.113.7"],
      }),
    ),
  },
  { additionalProperties: false, title: "BotCheckAsked" },
);
export type BotCheckAsked = Static<typeof BotCheckAsked>;

const maybeText = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description });

export const BotCheckResult = Type.Object(
  {
    success: Type.Literal(true),
    hostname: maybeText("The host on which the widget was solved."),
    action: maybeText("What it was solved for, if the vendor tells it."),
    score: Type.Union([Type.Number(), Type.Null()], {
      description: "Of reCAPTCHA v3: 1 for surely a person.",
    }),
    challengedAt: maybeText("When it was solved, as the vendor wrote it."),
  },
  { title: "BotCheckResult" },
);
export type BotCheckResult = Static<typeof BotCheckResult>;

export function presentVerdict(verdict: Extract<Verdict, { isPerson: true }>): BotCheckResult {
  const { hostname = null, action = null, score = null, challengedAt = null } = verdict;
  return { success: true, hostname, action, score, challengedAt };
}

export const RESULT_EXAMPLE: BotCheckResult = {
  success: true,
  hostname: "passes.cafe-lune.example",
  action: "enrol",
  score: null,
  challengedAt: "2026-03-02T09:30:00.000Z",
};
