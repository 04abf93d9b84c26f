import { missingMember } from "./google.members.ts";

/** The seven kinds of passes that Google Wallet knows. */
export const GOOGLE_TYPES = [
  "generic",
  "offer",
  "loyalty",
  "giftCard",
  "eventTicket",
  "flight",
  "transit",
] as const;
export type GoogleType = (typeof GOOGLE_TYPES)[number];

/** A class or an object, as it is sent and shown. */
export type Json = Readonly<Record<string, unknown>>;

/** A collection of the API, such as `loyaltyClass`. */
export type Collection = {
  readonly name: string;
  readonly type: GoogleType;
  readonly isClass: boolean;
};

const COLLECTION = new RegExp(`^(${GOOGLE_TYPES.join("|")})(Class|Object)$`);

export function collectionOf(name: string): Collection | undefined {
  const [, type, kind] = COLLECTION.exec(name) ?? [];
  if (type === undefined) return undefined;
  return { name, type: type as GoogleType, isClass: kind === "Class" };
}

/** The type of what the collection holds, as Google's discovery document names it. */
export function typeOf({ name }: Collection): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

const ID = /^(\d{1,20})\.[A-Za-z0-9._-]{1,200}$/;
const COLOR = /^#[0-9a-fA-F]{6}$/;
const LOCATIONS_MAX = 10;

/** The issuer that an id begins with; undefined for an id that Google would not take. */
export function issuerOf(id: unknown): string | undefined {
  return typeof id === "string" ? ID.exec(id)?.[1] : undefined;
}

/** Says what is wrong with a class or an object; undefined if it can be stored. */
export function resourceProblem(collection: Collection, value: Json): string | undefined {
  const missing = missingMember(typeOf(collection), value);
  if (missing !== undefined) return `Missing required field: ${missing}.`;
  if (issuerOf(value.id) === undefined) return `Invalid resource ID: ${String(value.id)}.`;
  if (!collection.isClass && issuerOf(value.classId) === undefined) {
    return `Invalid resource ID: ${String(value.classId)}.`;
  }
  const color = value.hexBackgroundColor;
  if (color !== undefined && !COLOR.test(String(color))) return "Invalid hexBackgroundColor.";
  const locations = value.merchantLocations;
  if (Array.isArray(locations) && locations.length > LOCATIONS_MAX) {
    return `At most ${LOCATIONS_MAX} merchantLocations.`;
  }
  return textProblem(value) ?? smartTapProblem(value) ?? imageProblem(value);
}

/** An object says what readers read. */
function smartTapProblem({ smartTapRedemptionValue: read }: Json): string | undefined {
  return read === undefined || /^[\x20-\x7e]+$/.test(String(read))
    ? undefined
    : "smartTapRedemptionValue must be ASCII.";
}

function textProblem({ textModulesData: modules }: Json): string | undefined {
  if (!Array.isArray(modules)) return undefined;
  const ids = modules.map((module: Json) => module.id).filter((id) => id !== undefined);
  if (ids.some((id) => !/^[A-Za-z0-9_-]{1,64}$/.test(String(id)))) {
    return "Invalid id in textModulesData.";
  }
  return new Set(ids).size === ids.length ? undefined : "Duplicate id in textModulesData.";
}

/** Every picture, however deep, must have an address that can be fetched. */
function imageProblem(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "sourceUri") {
      const uri: unknown = (inner as Json | null)?.uri;
      if (typeof uri !== "string" || !/^https?:\/\/[^/\s]+/.test(uri)) {
        return `Invalid image URI: ${String(uri)}.`;
      }
    }
    const problem = imageProblem(inner);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Members that were sent replace the stored ones, inside objects too; null removes, lists whole. */
export function mergeResource(stored: Json, sent: Json): Json {
  const merged: Record<string, unknown> = { ...stored };
  for (const [name, value] of Object.entries(sent)) {
    const before = merged[name];
    if (value === null) delete merged[name];
    else if (isObject(value) && isObject(before)) merged[name] = mergeResource(before, value);
    else merged[name] = value;
  }
  return merged;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
