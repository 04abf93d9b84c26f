import { isObject } from "#kernel/json.ts";
import { closest, type Finding } from "#src/files/public.ts";
import type {
  CompiledLayout,
  CompiledTemplate,
  JsonObject,
  LocalizedPass,
} from "#src/templates/language/public.ts";
import { googleType } from "../google.kinds.ts";
import {
  hasMembers,
  type MemberType,
  memberNames,
  memberType,
  requiredMembers,
  resourceType,
  wordsOf,
} from "../resources/resource.members.ts";
import {
  googleLayoutImageAddress,
  googleLayoutMemberMissing,
  googleLayoutOwnMember,
  googleLayoutReviewStatus,
  googleLayoutUnknownMember,
  googleLayoutUnknownValue,
  googleLayoutWrongType,
} from "./layout.findings.ts";
import { adviceOnWord, fitsType, isLiquid, isUnfetchable, wantedFor } from "./layout.values.ts";

type Pointer = readonly (string | number)[];
type Part = "class" | "object";

/** One layout, laid over a class or an object. */
type Laid = {
  readonly part: Part;
  /** What it is laid over, such as `LoyaltyClass`. */
  readonly type: string;
  readonly layout: CompiledLayout;
  /** As rendered for a pass with sample data. */
  readonly rendered: Readonly<JsonObject>;
  /** Members that the template gives a part of, so the layout may leave out the rest. */
  readonly given: ReadonlySet<string>;
};

/** Members that this service or Google Wallet sets, and the effect of a layout that sets them instead. */
const OWN: Readonly<Record<Part, Readonly<Record<string, string>>>> = {
  class: {
    callbackOptions: "this service does not learn who saves or removes a pass",
    notifyPreference: "Google Wallet may notify all holders of each change of the class",
    version: "Google Wallet counts it itself",
  },
  object: {
    classReference: "Google Wallet takes it from the class",
    hasUsers: "Google Wallet sets it itself",
    messages: "each change of the pass takes away the messages that were sent to its holder",
    notifyPreference: "holders may be told of each change, and it counts as one of few in a day",
    version: "Google Wallet counts it itself",
  },
};

const REVIEWED = ["UNDER_REVIEW", "underReview"];

/** Checks the layout of a template by what Google Wallet takes for its classes and objects. */
export function lintLayout(compiled: CompiledTemplate, { main }: LocalizedPass): Finding[] {
  const google = googleType(compiled.template);
  const { googleClass, googleObject } = compiled.layouts;
  const given = givenBy(compiled);
  const [ofClass = {}, ofObject = {}] = [main.layouts.googleClass, main.layouts.googleObject];
  const laid: Laid[] = [];
  if (googleClass !== undefined) {
    const type = resourceType(`${google}Class`);
    laid.push({ part: "class", type, layout: googleClass, rendered: ofClass, given });
  }
  if (googleObject !== undefined) {
    const type = resourceType(`${google}Object`);
    laid.push({ part: "object", type, layout: googleObject, rendered: ofObject, given });
  }
  return laid.flatMap((each) => [
    ...inMembers(each, each.type, each.layout.source, []),
    ...ownMembers(each),
    ...reviewStatus(each),
  ]);
}

/** What is missing of a flight is reported by the rules for templates. */
function givenBy({ details, fields }: CompiledTemplate): ReadonlySet<string> {
  const given = new Set(["flightHeader", "origin", "destination"]);
  if (details.has("event.venue") && details.has("event.address")) given.add("venue");
  if (fields.header.length > 0) given.add("loyaltyPoints");
  return given;
}

function inMembers(laid: Laid, type: string, value: JsonObject, at: Pointer): Finding[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    // It takes a member away, so nothing of it comes to Google.
    if (inner === null) return [];
    const pointer = [...at, name];
    const found = memberType(type, name);
    if (found === undefined) {
      const facts = { path: pathOf(laid, pointer), type, meant: closest(name, memberNames(type)) };
      return [googleLayoutUnknownMember(laid.layout.keyAt(pointer), facts)];
    }
    return inMember(laid, found, inner, pointer);
  });
}

function inMember(laid: Laid, type: MemberType, value: unknown, at: Pointer): Finding[] {
  if (!type.isList) return inValue(laid, type.name, value, at);
  if (!Array.isArray(value)) return [wrongType(laid, at, "a list")];
  return value.flatMap((item, index) => inValue(laid, type.name, item, [...at, index]));
}

function inValue(laid: Laid, type: string, value: unknown, at: Pointer): Finding[] {
  if (hasMembers(type)) {
    if (!isObject(value)) return [wrongType(laid, at, wantedFor(type))];
    return [...missingMembers(laid, type, value, at), ...inMembers(laid, type, value, at)];
  }
  if (type === "string" && isPictureAddress(at) && typeof value === "string") {
    const where = laid.layout.keyAt(at);
    return isUnfetchable(value)
      ? [googleLayoutImageAddress(where, { path: pathOf(laid, at) })]
      : [];
  }
  const known = isLiquid(value) ? renderedAlways(laid, at) : value;
  // What Liquid gives is known only with the data of a pass.
  if (known === undefined) return [];
  if (!fitsType(type, known)) return [wrongType(laid, at, wantedFor(type))];
  const advice = typeof known === "string" && wordsOf(type) && adviceOnWord(type, known);
  if (typeof advice !== "string") return [];
  const facts = { path: pathOf(laid, at), word: String(known), advice };
  return [googleLayoutUnknownValue(laid.layout.keyAt(at), facts)];
}

const isPictureAddress = (at: Pointer): boolean => at.at(-1) === "uri" && at.at(-2) === "sourceUri";

/** What a text with Liquid gives for every pass; undefined if it depends on the pass. */
function renderedAlways({ part, layout, rendered }: Laid, at: Pointer): unknown {
  const place = [part, ...at].join("\n");
  const value = layout.values.find(({ pointer }) => pointer.join("\n") === place);
  if (value === undefined || value.text.references.length > 0) return undefined;
  const text = at.reduce<unknown>(
    (node, name) => (node as Record<string | number, unknown> | undefined)?.[name],
    rendered,
  );
  // A text that cannot be rendered is empty, and reported by itself.
  return text === "" ? undefined : text;
}

function missingMembers(laid: Laid, type: string, value: JsonObject, at: Pointer): Finding[] {
  const [first] = at;
  const isPartial = at.length === 1 && laid.given.has(String(first));
  return requiredMembers(type)
    .filter(
      (name) => value[name] === null || value[name] === "" || (!isPartial && !(name in value)),
    )
    .map((member) => {
      const facts = { path: pathOf(laid, at), member };
      return googleLayoutMemberMissing(laid.layout.keyAt(at), facts);
    });
}

function wrongType(laid: Laid, at: Pointer, wanted: string): Finding {
  return googleLayoutWrongType(laid.layout.keyAt(at), { path: pathOf(laid, at), wanted });
}

function ownMembers(laid: Laid): Finding[] {
  const { part, type, layout } = laid;
  return Object.entries(OWN[part])
    .filter(([name]) => Object.hasOwn(layout.source, name) && memberType(type, name) !== undefined)
    .map(([name, effect]) =>
      googleLayoutOwnMember(layout.keyAt([name]), { path: pathOf(laid, [name]), effect }),
    );
}

/** Google takes passes only of a class that its review has seen. */
function reviewStatus({ type, layout }: Laid): Finding[] {
  const status = layout.source.reviewStatus;
  const found = memberType(type, "reviewStatus");
  if (found === undefined || status === undefined || isLiquid(status)) return [];
  const isWord = status === null || adviceOnWord(found.name, String(status)) === undefined;
  const keeps = isWord && !REVIEWED.includes(String(status));
  return keeps ? [googleLayoutReviewStatus(layout.keyAt(["reviewStatus"]))] : [];
}

/** As it is written in the file, such as `class.venue.name`. */
function pathOf({ part }: Laid, at: Pointer): string {
  return at.reduce<string>(
    (path, name) => (typeof name === "number" ? `${path}[${name}]` : `${path}.${name}`),
    part,
  );
}
