import type { DataSchema } from "#src/templates/language/public.ts";
import { kindOfMember, memberSchema } from "../settings/settings.members.ts";
import {
  type FieldSettings,
  type FormSettings,
  type LocalizedText,
  type Personal,
  personalOf,
} from "../settings/settings.schema.ts";

export type FieldKind =
  | "text"
  | "email"
  | "phone"
  | "url"
  | "date"
  | "integer"
  | "number"
  | "choice"
  | "yes-no";

/** One question of a form, made from its settings and the template. */
export type Field = {
  /** The name of the input. */
  readonly name: string;
  readonly member: string;
  readonly personal: Personal | undefined;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly lengthMax: number;
  readonly label: LocalizedText | undefined;
  readonly hint: LocalizedText | undefined;
  /** What the template says of the member. */
  readonly schema: DataSchema;
};

const LENGTH_MAX = 200;
/** The longest address that mail can be sent to, by RFC 5321. */
const EMAIL_LENGTH_MAX = 254;
const TEXT_LENGTH_MAX = 1_000;

/** The questions of a form, in the order of its settings. Those that no form can ask are left out. */
export function fieldsOf({ fields }: FormSettings, data: DataSchema | undefined): Field[] {
  return fields.flatMap((settings) => {
    const schema = memberSchema(data, settings.member) ?? {};
    const kind = kindOf(settings, schema);
    if (kind === undefined) return [];
    const { member, label, hint, required } = settings;
    return {
      name: `answer.${member}`,
      member,
      personal: personalOf(settings),
      kind,
      isRequired: required ?? data?.required?.includes(member) ?? false,
      lengthMax: lengthOf(kind, schema),
      label,
      hint,
      schema,
    };
  });
}

function kindOf(settings: FieldSettings, schema: DataSchema): FieldKind | undefined {
  const kind = kindOfMember(schema);
  const personal = personalOf(settings);
  if (kind === "text" && (personal === "email" || personal === "phone")) return personal;
  return kind;
}

function lengthOf(kind: FieldKind, { maxLength }: DataSchema): number {
  if (kind === "email") return Math.min(maxLength ?? EMAIL_LENGTH_MAX, EMAIL_LENGTH_MAX);
  return Math.min(maxLength ?? LENGTH_MAX, TEXT_LENGTH_MAX);
}

/** A text of the settings in a language, or else in the first that it has. */
export function textIn(text: LocalizedText, languages: readonly string[]): string {
  if (typeof text === "string") return text;
  for (const language of languages) {
    const parts = language.split("-");
    for (let length = parts.length; length > 0; length -= 1) {
      const name = parts.slice(0, length).join("-");
      const found = Object.hasOwn(text, name) ? text[name] : undefined;
      if (found !== undefined) return found;
    }
  }
  return Object.values(text)[0] ?? "";
}
