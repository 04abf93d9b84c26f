import { parseTimestamp } from "#kernel/http/lists/list-values.ts";
import { RenderBudget } from "./liquid/budget.ts";
import { TextError } from "./liquid/failure.ts";
import { parseDate } from "./liquid/format.ts";
import type { CompiledText } from "./liquid/liquid.ts";
import { createScope, type Scope } from "./liquid/scope.ts";
import { addDuration, type Duration } from "./template.expiration.ts";
import type { RenderInput } from "./template.render-input.ts";

/**
 * When passes of a template expire. This one text is rendered on the event loop, in the transaction
 * that writes the pass and a thousand times in a bulk change: it may take a fraction of a millisecond.
 */
const EXPIRY_LIMITS = { steps: 300, units: 20_000 };

export type ExpiryRule = {
  readonly after: Duration | undefined;
  readonly at: CompiledText | undefined;
  /** The tenant's own. */
  readonly locale: string;
};

/** When a pass expires, or the members of the pass that give no date where the template needs one. */
export type Expiry =
  | { readonly ok: true; readonly at: Date | null }
  | { readonly ok: false; readonly members: readonly string[] };

export function expiryBy(rule: ExpiryRule, input: RenderInput): Expiry {
  const { at, after, locale } = rule;
  if (at === undefined) {
    const end = expiryAfter(after, input);
    // A year beyond those that can be shown is none.
    return { ok: true, at: end !== undefined && isShowable(end) ? end : null };
  }
  const text = render(at, expiryScope(input, locale));
  if (text === "") return { ok: true, at: null };
  const end = text === undefined ? undefined : parseDate(text, input.tenant.timeZone);
  if (end !== undefined && isShowable(end)) return { ok: true, at: end };
  return { ok: false, members: membersRead(at) };
}

/** With what a text may take that says when a pass expires. */
export function expiryScope(input: RenderInput, locale: string): Scope {
  return createScope(input, locale, (text) => text, new RenderBudget(EXPIRY_LIMITS));
}

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

/** What a text reads of a pass, by the names under which passes are sent. */
function membersRead(text: CompiledText): string[] {
  const members = text.references.flatMap(({ segments: [root = "", ...path] }) => {
    const member = MEMBER_OF_ROOT[root];
    const known = path.slice(0, path.includes("*") ? path.indexOf("*") : path.length);
    return member === undefined ? [] : [[member, ...known].join(".")];
  });
  return [...new Set(members)];
}
