import { canonicalLocale } from "#kernel/intl.ts";
import { isObject } from "#kernel/json.ts";
import type {
  JsonObject,
  LocalizedPass,
  RenderedField,
  RenderedPass,
} from "#src/templates/language/public.ts";
import { POSTER_STYLE } from "../apple.poster.ts";

/** The last message to the holder of a pass. */
export type BundleMessage = {
  readonly title: string | null;
  readonly content: string | null;
  /** The content by language. */
  readonly localizedContent: Readonly<Record<string, string>>;
  /** How many messages went before. */
  readonly earlier: number;
};

/** Templates with a field of this key are refused: a pass has each key once. */
export const MESSAGE_KEY = "billfold-message";

/** The phone shows the new value of the field itself when it changes. */
const CHANGE = "%@";

/**
 * A character without width at the end of every second message. The phone tells its holder of a
 * message only if the text differs from the one before.
 */
const MARK = "\u2060";

/**
 * Adds the message to the back of the pass in every language. A language that only the message has
 * is added with the other texts of the nearest language of the pass.
 */
export function withMessage(
  { main, others }: LocalizedPass,
  message: BundleMessage,
): LocalizedPass {
  const all = [main, ...others];
  const texts = textsOf(message);
  const known = new Set(all.map(({ language }) => canonical(language)));
  const added = [...texts.keys()]
    .filter((language) => !known.has(language))
    .map((language) => ({ ...(nearest(all, language) ?? main), language }));
  const add = (pass: RenderedPass): RenderedPass => {
    const field = messageField(pass, textIn(message, texts, pass.language, main.language));
    const back = pass.fields.back.filter(({ key }) => key !== MESSAGE_KEY);
    return { ...pass, fields: { ...pass.fields, back: [...back, field] } };
  };
  function messageField({ organization }: RenderedPass, text: string): RenderedField {
    const label = message.title ?? organization;
    const plain = { raw: undefined, align: undefined, format: undefined, row: undefined };
    const isMarked = text !== "" && message.earlier % 2 === 1;
    const shown = isMarked ? `${text}${MARK}` : text;
    return { key: MESSAGE_KEY, label, text: shown, change: CHANGE, ...plain };
  }
  return { main: add(main), others: [...others, ...added].map(add) };
}

type Texts = ReadonlyMap<string, string>;

/** By language in its one form: of two spellings of a language, the first counts. */
function textsOf({ localizedContent }: BundleMessage): Texts {
  const texts = new Map<string, string>();
  for (const [name, text] of Object.entries(localizedContent)) {
    const language = canonical(name);
    if (!texts.has(language)) texts.set(language, text);
  }
  return texts;
}

const canonical = (language: string): string => canonicalLocale(language) ?? language;
const baseOf = (language: string): string => canonical(language).split("-")[0] ?? language;

/** The language without its region, or the same language of another region. */
function nearest(passes: readonly RenderedPass[], language: string): RenderedPass | undefined {
  const base = baseOf(language);
  const related = passes.filter((pass) => baseOf(pass.language) === base);
  return related.find((pass) => canonical(pass.language) === base) ?? related[0];
}

/** The text of the exact language, of the language without its region, or of the tenant's. */
function textIn({ content }: BundleMessage, texts: Texts, language: string, own: string): string {
  const find = (name: string) => texts.get(canonical(name)) ?? texts.get(baseOf(name));
  return find(language) ?? content ?? find(own) ?? texts.values().next().value ?? "";
}

/**
 * Puts the message into pass.json after the layout, because a layout may replace all fields of the
 * back. A poster beside the classic style has a back of its own.
 */
export function addMessage(json: JsonObject, style: string, { main }: LocalizedPass): JsonObject {
  const field = main.fields.back.find(({ key }) => key === MESSAGE_KEY);
  if (field === undefined || field.text === "") return json;
  const { key, label, text: value, change: changeMessage } = field;
  const added = { ...json };
  for (const name of [style, POSTER_STYLE]) {
    const members = json[name];
    if (!isObject(members)) continue;
    const fields = Array.isArray(members.backFields) ? members.backFields : [];
    const others = fields.filter((other) => !isObject(other) || other.key !== MESSAGE_KEY);
    const backFields = [...others, { key, label, value, changeMessage }];
    added[name] = { ...members, backFields };
  }
  return added;
}
