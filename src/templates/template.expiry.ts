import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import { TextError } from "./liquid/failure.ts";
import { isKnownZone, parseDate } from "./liquid/format.ts";
import type { CompiledText } from "./liquid/liquid.ts";
import type { Scope } from "./liquid/scope.ts";
import { briefScope } from "./template.brief.ts";
import { addDuration, type Duration } from "./template.expiration.ts";
import type { RenderInput } from "./template.render-input.ts";

export type ExpiryRule = {
  readonly after: Duration | undefined;
  readonly at: CompiledText | undefined;
  /** Give the time zone of a date without an offset; the first one that exists counts. */
  readonly zones: readonly CompiledText[];
  /** The default locale of the tenant. */
  readonly locale: string;
};

/**
 * When a pass expires. If the template needs a date and the pass gives none, `members` names the
 * members of the pass that the template reads.
 */
export type Expiry =
  | { readonly ok: true; readonly at: Date | null }
  | { readonly ok: false; readonly members: readonly string[] };

export function expiryBy(rule: ExpiryRule, input: RenderInput): Expiry {
  const { at, after, zones, locale } = rule;
  if (at === undefined) {
    const end = expiryAfter(after, input);
    // A date whose year has more than four digits cannot be shown, so the pass does not expire.
    return { ok: true, at: end !== undefined && isShowable(end) ? end : null };
  }
  const text = render(at, briefScope(input, locale));
  if (text === "") return { ok: true, at: null };
  const zone = zones.map((each) => render(each, briefScope(input, locale))).find(isZone);
  const end = text === undefined ? undefined : parseDate(text, zone ?? input.tenant.timeZone);
  if (end !== undefined && isShowable(end)) return { ok: true, at: end };
  return { ok: false, members: membersRead(at) };
}

const isZone = (name: string | undefined) => name !== undefined && isKnownZone(name);

function render(text: CompiledText, scope: Scope): string | undefined {
  try {
    return text.render(scope);
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}

export function expiryAfter(
  after: Duration | undefined,
  { pass }: Pick<RenderInput, "pass">,
): Date | undefined {
  if (after === undefined || pass.creationDate === undefined) return undefined;
  const from = parseDate(pass.creationDate, "UTC");
  return from === undefined ? undefined : addDuration(from, after);
}

export function isShowable(date: Date): boolean {
  return !Number.isNaN(date.getTime()) && parseTimestamp(date.toISOString()) !== undefined;
}

const MEMBER_OF_ROOT: Readonly<Record<string, string>> = {
  data: "additionalData",
  identifiers: "identifiers",
  metadata: "metadata",
};

/** The members of a pass that a text reads, by the names that the API uses for them. */
function membersRead(text: CompiledText): string[] {
  const members = text.references.flatMap(({ segments: [root = "", ...path] }) => {
    const member = MEMBER_OF_ROOT[root];
    const known = path.slice(0, path.includes("*") ? path.indexOf("*") : path.length);
    return member === undefined ? [] : [[member, ...known].join(".")];
  });
  return [...new Set(members)];
}
