import {
  PASS_JSON_DATE,
  PASS_JSON_DATE_STYLES,
  PASS_JSON_ENUMERATIONS,
  PASS_JSON_FIELD_LISTS,
  PASS_JSON_OBJECTS,
  PASS_JSON_ROOT,
  PASS_JSON_STYLES,
} from "#src/wallets/public.ts";

type Json = Readonly<Record<string, unknown>>;

/** Throws a sentence that names the first member for which iOS refuses the pass. Others it ignores. */
export function requirePassJson(pass: Json): void {
  requireObject(pass, PASS_JSON_ROOT, "");
  for (const style of PASS_JSON_STYLES) requireOwnKeys(pass[style], style);
}

function requireObject(value: Json, name: string, place: string): void {
  const shape = PASS_JSON_OBJECTS[name];
  if (shape === undefined) throw new Error(`There is no object '${name}'.`);
  const within = (member: string) => (place === "" ? member : `${place}.${member}`);
  for (const member of shape.required ?? []) {
    if (isAbsent(value[member])) throw new Error(`${within(member)} is missing.`);
  }
  for (const [member, other] of Object.entries(shape.needs ?? {})) {
    const beside = value[other];
    const isThere = Array.isArray(beside) ? beside.length > 0 : !isAbsent(beside);
    if (!isAbsent(value[member]) && !isThere) {
      throw new Error(`${within(member)} needs ${within(other)}.`);
    }
  }
  for (const [member, type] of Object.entries(shape.members)) {
    if (!isAbsent(value[member])) requireType(value[member], type, within(member));
  }
  if (PASS_JSON_DATE_STYLES.some((style) => !isAbsent(value[style]))) {
    requireType(value.value, "date", within("value"));
  }
}

function requireType(value: unknown, type: string, place: string): void {
  const [, element] = /^(.*)\[\]$/.exec(type) ?? [];
  if (element !== undefined) {
    if (!Array.isArray(value)) throw new Error(`${place} is not a list.`);
    value.forEach((each, at) => {
      requireType(each, element, `${place}.${at}`);
    });
  } else if (type in PASS_JSON_OBJECTS) {
    if (!isJson(value)) throw new Error(`${place} is not an object.`);
    requireObject(value, type, place);
  } else if (type in PASS_JSON_ENUMERATIONS) {
    const { values = [], isClosed = false } = PASS_JSON_ENUMERATIONS[type] ?? {};
    const isKnown = values.some((known) => known === value);
    if (typeof value !== "string" || (isClosed && !isKnown)) {
      throw new Error(`${place} is none of ${values.join(", ")}.`);
    }
  } else if (!fits(value, type)) throw new Error(`${place} is not of the type ${type}.`);
}

/** To iOS, null is the same as no member. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const COLOR = /^\s*(#[0-9a-f]{3}([0-9a-f]{3})?|rgb\(\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\))\s*$/i;

function fits(value: unknown, type: string): boolean {
  switch (type) {
    case "text":
    case "change":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "integer":
      return Number.isSafeInteger(value);
    case "uint16":
      return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 16;
    case "boolean":
      return value === true || value === false;
    case "value":
      return typeof value === "string" || typeof value === "number";
    case "date":
      return typeof value === "string" && isMoment(value);
    case "url":
      return typeof value === "string" && /^[a-z][a-z0-9+.-]*:\S+$/i.test(value);
    case "uuid":
      return /^[0-9A-F]{8}-([0-9A-F]{4}-){3}[0-9A-F]{12}$/.test(String(value).toUpperCase());
    case "color":
      return typeof value === "string" && COLOR.test(value);
    case "any":
      return true;
    default:
      throw new Error(`There is no type '${type}'.`);
  }
}

function isMoment(text: string): boolean {
  if (!new RegExp(PASS_JSON_DATE).test(text) || Number.isNaN(new Date(text).getTime()))
    return false;
  const [year = 0, month = 0, day = 0] = text.split(/[-T]/, 3).map(Number);
  // The last day of the month.
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function requireOwnKeys(style: unknown, place: string): void {
  if (!isJson(style)) return;
  const keys = PASS_JSON_FIELD_LISTS.flatMap((list) => {
    const fields = style[list];
    return Array.isArray(fields) ? fields.filter(isJson).map(({ key }) => key) : [];
  });
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) throw new Error(`${place} has the key '${twice}' twice.`);
}

/** The team of the development authority, whose passes go to this phone alone. */
const DEVELOPMENT_TEAM = "BILLFOLDDV";

/** iOS takes a web service over http only with a switch for developers, which this phone is for. */
export function requireService(pass: Json): void {
  const { webServiceURL: url, teamIdentifier } = pass;
  if (typeof url !== "string" || teamIdentifier === DEVELOPMENT_TEAM) return;
  if (!url.startsWith("https://")) throw new Error("webServiceURL is not https.");
}
