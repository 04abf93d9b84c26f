import Type, { type Static } from "typebox";
import { type FieldErrors, noErrors } from "#kernel/http/validation.ts";
import { canonicalLocale } from "#kernel/intl.ts";

const CONTENT_LENGTH_MAX = 500;
const LANGUAGES_MAX = 50;
const LANGUAGE_LENGTH_MAX = 35;
const TITLE_LENGTH_MAX = 100;
/** Nobody would see spaces alone. */
const seenText = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: "\\S",
    mustBe: `1 to ${maxLength} characters, not only spaces`,
  });
const Content = seenText(CONTENT_LENGTH_MAX);

export const NotificationSent = Type.Object(
  {
    title: Type.Optional(seenText(TITLE_LENGTH_MAX)),
    content: Type.Optional(Content),
    localizedContent: Type.Optional(
      Type.Record(Type.String(), Content, {
        minProperties: 1,
        maxProperties: LANGUAGES_MAX,
        description: "By language, as BCP 47 writes it (`de`, `pt-BR`), in place of `content`.",
        examples: [{ en: "Your table is ready.", de: "Ihr Tisch ist bereit." }],
      }),
    ),
  },
  { additionalProperties: false, title: "Notification" },
);
export type NotificationSent = Static<typeof NotificationSent>;

export const NotificationAccepted = Type.Object(
  {
    passId: Type.String(),
    state: Type.Literal("queued"),
    jobId: Type.String({
      description:
        "`GET /jobs/{jobId}` shows that it was accepted, `GET …/passes/{passId}/deliveries` what became of it. The event `pass.notification-failed` tells of a wallet that did not get it.",
    }),
  },
  { title: "NotificationAccepted" },
);

/** Checks that the schema cannot express. */
export function notificationErrors(sent: NotificationSent): FieldErrors | undefined {
  const errors = noErrors();
  const { content, localizedContent } = sent;
  if (content === undefined && localizedContent === undefined) {
    errors.content = ["is required, or localizedContent in its place"];
  }
  if (content !== undefined && localizedContent !== undefined) {
    errors.localizedContent = ["cannot be combined with content"];
  }
  const known = new Set<string>();
  for (const language of Object.keys(localizedContent ?? {})) {
    const name = language.length > LANGUAGE_LENGTH_MAX ? undefined : canonicalLocale(language);
    if (name !== undefined && !known.has(name)) {
      known.add(name);
      continue;
    }
    errors[`localizedContent.${language.slice(0, LANGUAGE_LENGTH_MAX)}`] = [
      name === undefined
        ? "must be a language as BCP 47 writes it, such as de or pt-BR"
        : `must be there once: ${name} is written in two ways`,
    ];
  }
  return Object.keys(errors).length === 0 ? undefined : errors;
}
