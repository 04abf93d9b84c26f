import Type, { type Static } from "typebox";
import { type FieldErrors, noErrors } from "#kernel/http/validation.ts";
import { canonicalLocale } from "#kernel/intl.ts";

const CONTENT_LENGTH_MAX = 500;
const LANGUAGES_MAX = 50;
const LANGUAGE_LENGTH_MAX = 35;
const Content = Type.String({ minLength: 1, maxLength: CONTENT_LENGTH_MAX });

export const NotificationSent = Type.Object(
  {
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
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
    jobId: Type.String({ description: "`GET /jobs/{jobId}` tells what became of it." }),
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
  for (const language of Object.keys(localizedContent ?? {})) {
    if (isLanguage(language)) continue;
    errors[`localizedContent.${language.slice(0, LANGUAGE_LENGTH_MAX)}`] = [
      "must be a language as BCP 47 writes it, such as de or pt-BR",
    ];
  }
  return Object.keys(errors).length === 0 ? undefined : errors;
}

function isLanguage(text: string): boolean {
  return text.length <= LANGUAGE_LENGTH_MAX && canonicalLocale(text) !== undefined;
}
