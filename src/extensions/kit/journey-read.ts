import { digitsOf } from "#kernel/exact-number.ts";
import { parseStrictJson } from "#kernel/http/json/strict-json.ts";
import { type FieldErrors, fieldErrors } from "#kernel/http/validation.ts";
import { isObject } from "#kernel/json.ts";
import type { PassWish } from "#src/passes/public.ts";
import { type JourneyAction, JourneyBody, type JourneyCall } from "./journey.ts";

/** What one call could not be done for. Vendors show it to those who build journeys. */
export type JourneyError = { readonly code: string; readonly description: string };

const ERRORS_MAX = 20;
const BODY_BYTES_MAX = 128 * 1024;
const INVALID = "request.invalid";

/** A call that cannot be understood. It concerns one person alone, whoever else is on the journey. */
export class JourneyProblem extends Error {
  readonly errors: readonly JourneyError[];

  constructor(errors: readonly JourneyError[]) {
    super(errors.map(({ description }) => description).join("; "));
    this.errors = errors.slice(0, ERRORS_MAX);
  }
}

/** One entry for each field that does not fit. */
export function errorsByField(errors: FieldErrors): JourneyError[] {
  return Object.entries(errors)
    .slice(0, ERRORS_MAX)
    .map(([field, [reason = "is wrong"]]) => ({
      code: INVALID,
      description: field === "$" ? `The body ${reason}` : `${field}: ${reason}`,
    }));
}

export type Members = Readonly<Record<string, unknown>>;

/** The object in a body, in which no number loses a digit. Throws `JourneyProblem`. */
export function readJourneyBytes(bytes: Buffer): Members {
  if (bytes.length > BODY_BYTES_MAX) {
    const description = `The body is larger than ${BODY_BYTES_MAX} bytes.`;
    throw new JourneyProblem([{ code: "request.too-large", description }]);
  }
  const read = parseStrictJson(bytes, { decimals: "all" });
  if (!read.ok) {
    throw new JourneyProblem([{ code: "request.malformed", description: read.problem }]);
  }
  if (!isMembers(read.value)) throw new JourneyProblem(errorsByField({ $: ["must be an object"] }));
  return read.value;
}

export type JourneyDefaults = {
  readonly passType?: string | undefined;
  /** Where the body has no key of its own. */
  readonly key?: string | undefined;
};

/** What a call asks for. Throws `JourneyProblem`. Pure. */
export function readJourney(
  action: JourneyAction,
  sent: Members,
  defaults: JourneyDefaults = {},
): JourneyCall {
  const members = asText(inGroups(sent));
  const misfits = fieldErrors(JourneyBody, members);
  if (misfits !== undefined) throw new JourneyProblem(errorsByField(misfits));
  const body = members as JourneyBody;
  const { idempotencyKey, identifiers = {}, passId, passType, additionalData, options } = body;
  const key = idempotencyKey ?? defaults.key;
  const notification = notificationOf(body);
  const lacks = lacking(action, body, key);
  if (lacks !== undefined) throw new JourneyProblem(errorsByField(lacks));
  const wish: PassWish = {
    action: WISHES[action],
    identifiers,
    ...(passId === undefined ? {} : { passId }),
    ...typeOf(action, passType, defaults),
    ...(action === "notifyPass" || additionalData === undefined ? {} : { additionalData }),
    ...(notification === undefined ? {} : { notification }),
  };
  const fitsTo = passType ?? defaults.passType;
  return { action, key, wish, fitsTo, updatesMetadata: options?.UpdateMetadata === true };
}

const WISHES = {
  createPass: "upsert",
  updatePass: "update",
  notifyPass: "notify",
} as const satisfies Record<JourneyAction, PassWish["action"]>;

/** A pass that is there is found by its identifiers, whatever its type, unless a type is named. */
function typeOf(
  action: JourneyAction,
  passType: string | undefined,
  defaults: JourneyDefaults,
): Pick<PassWish, "passType"> {
  const named = passType ?? (action === "createPass" ? defaults.passType : undefined);
  return named === undefined ? {} : { passType: named };
}

function lacking(
  action: JourneyAction,
  { identifiers = {}, passId, notification, additionalData }: JourneyBody,
  key: string | undefined,
): FieldErrors | undefined {
  const isNamed = Object.keys(identifiers).length > 0;
  if (action === "createPass" && passId !== undefined) {
    return { passId: ["is for passes that are there: name whom a new one is for by identifiers"] };
  }
  if (!isNamed && passId === undefined) {
    return { identifiers: ["are needed, to know whose pass it is"] };
  }
  if (action === "notifyPass" && additionalData !== undefined) {
    return { additionalData: ["is for createPass and updatePass"] };
  }
  const tells = action === "notifyPass" || notification !== undefined;
  if (tells && key === undefined) {
    return { idempotencyKey: ["is needed, so that nobody is told the same twice"] };
  }
  return undefined;
}

function notificationOf({ notification }: JourneyBody): PassWish["notification"] {
  if (notification === undefined) return undefined;
  const { text, ...told } = notification;
  return text === undefined ? told : { content: text, ...told };
}

const GROUPS: readonly string[] = ["identifiers", "additionalData", "notification", "options"];

/**
 * Some vendors can send only pairs of a name and a value: `identifiers.crm.id` stands for `crm.id` in
 * `identifiers`.
 */
export function inGroups(sent: Members): Members {
  const own: [string, unknown][] = [];
  const groups = new Map<string, [string, unknown][]>();
  const put = (group: string, entries: [string, unknown][]) =>
    groups.set(group, [...(groups.get(group) ?? []), ...entries]);
  for (const [name, value] of Object.entries(sent)) {
    const group = GROUPS.find((known) => name.startsWith(`${known}.`));
    if (group !== undefined) put(group, [[name.slice(group.length + 1), value]]);
    else if (GROUPS.includes(name) && isMembers(value)) put(name, Object.entries(value));
    else own.push([name, value]);
  }
  const inner = [...groups].map(([name, entries]) => [name, Object.fromEntries(entries)] as const);
  return Object.fromEntries([...own, ...inner]);
}

/** Templates of vendors write ids without quotes, and values with more digits than can be kept. */
function asText({ identifiers, ...sent }: Members): Members {
  const members = Object.entries(sent).map(([name, value]) => [
    name,
    typeof value === "number" ? String(value) : withoutDigitsLost(value),
  ]);
  const named = isMembers(identifiers)
    ? Object.entries(identifiers).map(([name, value]) => [name, idOf(value)])
    : undefined;
  return {
    ...Object.fromEntries(members),
    ...(identifiers === undefined
      ? {}
      : { identifiers: named === undefined ? identifiers : Object.fromEntries(named) }),
  };
}

/** A number with many digits is an object, too. */
export function isMembers(value: unknown): value is Members {
  return isObject(value) && digitsOf(value) === undefined;
}

export function idOf(value: unknown): unknown {
  return typeof value === "number" ? String(value) : (digitsOf(value) ?? value);
}

function withoutDigitsLost(value: unknown): unknown {
  const digits = digitsOf(value);
  if (digits !== undefined) return digits;
  if (Array.isArray(value)) return value.map(withoutDigitsLost);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutDigitsLost(inner)]),
  );
}
