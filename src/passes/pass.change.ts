import type { FieldErrors } from "#kernel/http/validation.ts";
import { difference } from "#kernel/members.ts";
import type { Expiry } from "#src/templates/public.ts";
import { expiryProblems, type PassRules, passProblems } from "./pass.rules.ts";
import {
  type FullChange,
  mergeContents,
  PASS_MEMBERS,
  type Pass,
  type PassChange,
  type PassStatus,
} from "./pass.schema.ts";

/** What is needed to apply a change, besides the pass and the change. */
export type ChangeGround = {
  readonly rules: PassRules;
  readonly now: Date;
  /** When a pass with these contents expires by its template. */
  expiryOf(pass: Pass): Expiry;
};

export type ChangeResult =
  | { readonly ok: true; readonly pass: Pass }
  | { readonly ok: false; readonly errors: FieldErrors };

const OVER: FieldErrors = {
  status: ["cannot be active: its expirationDate is past, which can be changed along with it"],
};

/** Applies one change to a pass; `nextVersion` decides whether the result is different. */
export function applyChange(known: Pass, change: FullChange, ground: ChangeGround): ChangeResult {
  const merged = { ...known, ...mergeContents(known, change) };
  // Only new contents are checked: a template of today must not prevent an old pass from expiring.
  const isNew = change.identifiers !== undefined || change.additionalData !== undefined;
  const errors = isNew ? passProblems(ground.rules, merged.identifiers, merged.data) : undefined;
  if (errors !== undefined) return { ok: false, errors };
  const expiry = merged.hasOwnExpiry ? undefined : ground.expiryOf(merged);
  if (expiry?.ok === false && isNew) return { ok: false, errors: expiryProblems(expiry.members) };
  const timed = expiry?.ok === true ? { ...merged, expiresAt: expiry.at } : merged;
  const status = statusAfter(timed, change.status, ground.now);
  if (change.status === "active" && status === "expired") return { ok: false, errors: OVER };
  return { ok: true, pass: { ...timed, status } };
}

/** The next version of a pass if something changed, after any number of changes. */
export function nextVersion(known: Pass, changed: Pass, now: Date): Pass | undefined {
  if (known.status === changed.status && !hasNewContents(known, changed)) return undefined;
  // A transaction that waited for the lock may have begun earlier than the one that held it.
  const updatedAt = now > known.updatedAt ? now : known.updatedAt;
  return { ...changed, version: known.version + 1, updatedAt };
}

/** `disabled` has priority; otherwise the clock decides. */
function statusAfter(pass: Pass, wanted: PassChange["status"], now: Date): PassStatus {
  if (wanted === "disabled" || (wanted === undefined && pass.status === "disabled")) {
    return "disabled";
  }
  return pass.expiresAt !== null && pass.expiresAt <= now ? "expired" : "active";
}

/**
 * Whether anything except the status differs: the status has its own events, and the version
 * follows from the rest. Setting the expiry that a pass already has by its template is no change.
 */
export const hasNewContents = difference<Pass, typeof PASS_MEMBERS>(PASS_MEMBERS, {
  except: ["status", "hasOwnExpiry", "version"],
});
