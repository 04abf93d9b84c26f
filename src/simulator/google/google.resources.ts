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

/** Fields without which Google refuses to store, from its discovery document. */
const REQUIRED: Readonly<Record<string, string>> = {
  genericClass: "id",
  offerClass: "id issuerName provider title redemptionChannel reviewStatus",
  loyaltyClass: "id issuerName programName programLogo reviewStatus",
  giftCardClass: "id issuerName reviewStatus",
  eventTicketClass: "id issuerName eventName reviewStatus",
  flightClass:
    "id issuerName flightHeader origin destination localScheduledDepartureDateTime reviewStatus",
  transitClass: "id issuerName logo transitType reviewStatus",
  genericObject: "id classId cardTitle header",
  offerObject: "id classId state",
  loyaltyObject: "id classId state",
  giftCardObject: "id classId state cardNumber",
  eventTicketObject: "id classId state",
  flightObject: "id classId state passengerName reservationInfo",
  transitObject: "id classId state tripType",
};

const ENUMS: Readonly<Record<string, readonly string[]>> = {
  state: ["ACTIVE", "COMPLETED", "EXPIRED", "INACTIVE"],
  reviewStatus: ["DRAFT", "UNDER_REVIEW", "APPROVED", "REJECTED"],
  redemptionChannel: ["INSTORE", "ONLINE", "BOTH", "TEMPORARY_PRICE_REDUCTION"],
  transitType: ["BUS", "RAIL", "TRAM", "FERRY", "OTHER"],
  tripType: ["ROUND_TRIP", "ONE_WAY"],
};

const ID = /^(\d{1,20})\.[A-Za-z0-9._-]{1,200}$/;
const COLOR = /^#[0-9a-fA-F]{6}$/;
const LOCATIONS_MAX = 10;

/** The issuer that an id begins with; undefined for an id that Google would not take. */
export function issuerOf(id: unknown): string | undefined {
  return typeof id === "string" ? ID.exec(id)?.[1] : undefined;
}

/** Says what is wrong with a class or an object; undefined if it can be stored. */
export function resourceProblem({ name, isClass }: Collection, value: Json): string | undefined {
  for (const field of (REQUIRED[name] ?? "id").split(" ")) {
    if (isMissing(value[field])) return `Missing required field: ${field}.`;
  }
  if (issuerOf(value.id) === undefined) return `Invalid resource ID: ${String(value.id)}.`;
  if (!isClass && issuerOf(value.classId) === undefined) {
    return `Invalid resource ID: ${String(value.classId)}.`;
  }
  for (const [field, words] of Object.entries(ENUMS)) {
    const word = value[field];
    if (word !== undefined && !words.includes(String(word))) {
      return `Invalid value for ${field}: ${String(word)}.`;
    }
  }
  const color = value.hexBackgroundColor;
  if (color !== undefined && !COLOR.test(String(color))) return "Invalid hexBackgroundColor.";
  const locations = value.merchantLocations;
  if (Array.isArray(locations) && locations.length > LOCATIONS_MAX) {
    return `At most ${LOCATIONS_MAX} merchantLocations.`;
  }
  return textProblem(value) ?? smartTapProblem(value) ?? imageProblem(value);
}

/** A class lets readers of named issuers take its passes; an object says what they read. */
function smartTapProblem({ enableSmartTap, redemptionIssuers, ...value }: Json) {
  if (enableSmartTap !== undefined && typeof enableSmartTap !== "boolean") {
    return "Invalid value for enableSmartTap.";
  }
  const isIssuer = (issuer: unknown) => /^\d{1,20}$/.test(String(issuer));
  if (redemptionIssuers !== undefined) {
    const isRight = Array.isArray(redemptionIssuers) && redemptionIssuers.every(isIssuer);
    if (!isRight) return "Invalid value for redemptionIssuers.";
  }
  const read = value.smartTapRedemptionValue;
  return read === undefined || /^[\x20-\x7e]+$/.test(String(read))
    ? undefined
    : "smartTapRedemptionValue must be ASCII.";
}

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || value === "";

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
