import { isObject } from "#kernel/json.ts";
import { closest } from "#src/files/public.ts";
import { changeFormat, type JsonObject, valuesIn } from "#src/templates/language/public.ts";
import {
  PASS_JSON_DATE,
  PASS_JSON_DATE_STYLES,
  PASS_JSON_ENUMERATIONS,
  PASS_JSON_FIELD_LISTS,
  PASS_JSON_OBJECTS,
  PASS_JSON_ROOT,
  PASS_JSON_STYLES,
  RELEVANT_SPAN_MAX_MS,
} from "./pass-json.facts.ts";

export type PassJsonPath = readonly (string | number)[];

export type PassJsonProblem = {
  readonly path: PassJsonPath;
  /**
   * iOS refuses the pass for a member that is `missing`, of the wrong `type`, or a text of the wrong
   * `form`. What is `unknown` it ignores, or shows its default.
   */
  readonly kind: "missing" | "type" | "form" | "unknown";
  /** Follows the name of the member. */
  readonly message: string;
  /** All members with this text, where each has to have its own. One list for the problems of all of them. */
  readonly duplicates?: readonly PassJsonPath[];
};

type Add = (
  path: PassJsonPath,
  kind: PassJsonProblem["kind"],
  message: string,
  duplicates?: readonly PassJsonPath[],
) => void;

/** All that iOS refuses in this pass.json, or does not know. */
export function passJsonProblems(json: JsonObject): PassJsonProblem[] {
  const problems: PassJsonProblem[] = [];
  const add: Add = (path, kind, message, duplicates) =>
    problems.push({ path, kind, message, ...(duplicates && { duplicates }) });
  checkObject(PASS_JSON_ROOT, json, [], add);
  for (const style of PASS_JSON_STYLES) checkKeys(json[style], [style], add);
  return problems;
}

function checkObject(name: string, value: JsonObject, path: PassJsonPath, add: Add): void {
  const { members, required = [], needs = {} } = PASS_JSON_OBJECTS[name] ?? { members: {} };
  for (const [member, content] of Object.entries(value)) {
    const type = Object.hasOwn(members, member) ? members[member] : undefined;
    if (type === undefined) add([...path, member], "unknown", unknownName(member, members));
    else if (isThere(content)) checkType(type, content, [...path, member], add);
  }
  for (const member of required) {
    if (!isThere(value[member])) add([...path, member], "missing", "is missing");
  }
  for (const [member, needed] of Object.entries(needs)) {
    if (!isThere(value[member]) || !isEmpty(value[needed])) continue;
    add([...path, member], "type", `needs '${needed}' beside it`);
  }
  if (name === "Field") checkShownDate(value, path, add);
  if (name === "RelevantDate") checkSpan(value, path, add);
}

/** A member that is null is none. */
const isThere = (value: unknown): boolean => value !== undefined && value !== null;

function isEmpty(value: unknown): boolean {
  return !isThere(value) || (Array.isArray(value) && value.length === 0);
}

function unknownName(name: string, members: Readonly<Record<string, string>>): string {
  const meant = closest(name, Object.keys(members));
  return `is a name that iOS does not know${meant === undefined ? "" : `; perhaps '${meant}' is meant`}`;
}

function checkType(type: string, value: unknown, path: PassJsonPath, add: Add): void {
  if (type.endsWith("[]")) {
    if (Array.isArray(value)) {
      for (const [at, each] of value.entries()) {
        checkType(type.slice(0, -2), each, [...path, at], add);
      }
    } else add(path, "type", "must be a list");
    return;
  }
  const enumeration = PASS_JSON_ENUMERATIONS[type];
  if (enumeration !== undefined) {
    const { values, isClosed } = enumeration;
    if (typeof value !== "string") add(path, "type", "must be a text");
    else if (!values.includes(value)) {
      add(path, isClosed ? "form" : "unknown", `must be one of ${values.join(", ")}`);
    }
    return;
  }
  if (PASS_JSON_OBJECTS[type] !== undefined) {
    if (isObject(value)) checkObject(type, value, path, add);
    else add(path, "type", "must be an object");
    return;
  }
  const simple = SIMPLE[type];
  if (simple === undefined) return;
  if (!simple.isType(value)) add(path, "type", simple.message);
  else if (simple.isIgnored?.(String(value))) add(path, "unknown", simple.message);
  else if (simple.isRefused?.(String(value))) add(path, "form", simple.message);
}

type Simple = {
  readonly message: string;
  isType(value: unknown): boolean;
  /** Whether iOS refuses the pass for this text. */
  isRefused?(text: string): boolean;
  /** Whether iOS shows words of its own in place of this text. */
  isIgnored?(text: string): boolean;
};

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
const DATE = new RegExp(PASS_JSON_DATE);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const UINT16_MAX = 65_535;

const SIMPLE: Readonly<Record<string, Simple>> = {
  text: { message: "must be a text", isType: isText },
  number: { message: "must be a number, without quotes", isType: isNumber },
  integer: { message: "must be a whole number, without quotes", isType: Number.isInteger },
  uint16: {
    message: `must be a whole number from 0 to ${UINT16_MAX}`,
    isType: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= UINT16_MAX,
  },
  boolean: { message: "must be true or false", isType: (value) => typeof value === "boolean" },
  date: {
    message: "must be a date with time and zone, such as 2027-01-31T18:00:00+01:00",
    isType: isText,
    isRefused: (text) => !isDate(text),
  },
  url: {
    message: "must be an address, such as https://example.com",
    isType: isText,
    isRefused: (text) => !isUrl(text),
  },
  uuid: { message: "must be a UUID", isType: isText, isRefused: (text) => !UUID.test(text) },
  // The rule for the colours of layouts says which forms there are.
  color: { message: "must be a colour", isType: isText },
  change: {
    message: "must have one %@, and %% for a percent sign, or iOS shows words of its own",
    isType: isText,
    isIgnored: (text) => text !== "" && (valuesIn(text) !== 1 || changeFormat(text) !== text),
  },
  value: {
    message: "must be a text or a number",
    isType: (value) => isText(value) || isNumber(value),
  },
};

function isDate(text: string): boolean {
  if (!DATE.test(text) || Number.isNaN(Date.parse(text))) return false;
  // A parser takes the 30th of February for the 2nd of March.
  const day = text.slice(0, "2027-01-31".length);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

function isUrl(text: string): boolean {
  return URL.canParse(text) && !/\s/.test(text);
}

function checkShownDate(field: JsonObject, path: PassJsonPath, add: Add): void {
  const style = PASS_JSON_DATE_STYLES.find((name) => isThere(field[name]));
  const { value } = field;
  if (style === undefined || !isThere(value)) return;
  if (typeof value === "string" && isDate(value)) return;
  add([...path, "value"], "form", `must be a date with time and zone, because of '${style}'`);
}

function checkSpan({ startDate, endDate }: JsonObject, path: PassJsonPath, add: Add): void {
  const spanMs = Date.parse(String(endDate)) - Date.parse(String(startDate));
  if (spanMs <= RELEVANT_SPAN_MAX_MS || Number.isNaN(spanMs)) return;
  add(
    [...path, "endDate"],
    "unknown",
    "is more than 24 hours after 'startDate', so iOS ignores both",
  );
}

function checkKeys(style: unknown, path: PassJsonPath, add: Add): void {
  if (!isObject(style)) return;
  const places = new Map<string, PassJsonPath[]>();
  for (const group of PASS_JSON_FIELD_LISTS) {
    const fields = style[group];
    if (!Array.isArray(fields)) continue;
    for (const [at, field] of fields.entries()) {
      const key = isObject(field) ? field.key : undefined;
      if (typeof key !== "string") continue;
      const known = places.get(key);
      const found = [...path, group, at, "key"];
      if (known === undefined) places.set(key, [found]);
      else known.push(found);
    }
  }
  for (const [key, paths] of places) {
    if (paths.length === 1) continue;
    for (const each of paths) add(each, "form", `is '${key}', as that of another field`, paths);
  }
}
