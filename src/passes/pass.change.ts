import type { FieldErrors } from "#kernel/http/validation.ts";
import { isSameJson, mergeMembers } from "#kernel/json.ts";
import type { Expiry } from "#src/templates/public.ts";
import { expiryProblems, type PassRules, passProblems } from "./pass.rules.ts";
import type { Pass, PassChange, PassStatus } from "./pass.schema.ts";

/** What a change needs to know beyond itself. */
export type ChangeGround = {
  readonly rules: PassRules;
  readonly now: Date;
  /** When a pass with these contents expires by its template. */
  expiryOf(pass: Pass): Expiry;
};

/** With what a connector delivered. */
export type FullChange = PassChange & { readonly metadata?: Readonly<Record<string, unknown>> };

export type ChangeResult =
  | { readonly ok: true; readonly pass: Pass }
  | { readonly ok: false; readonly errors: FieldErrors };

const OVER: FieldErrors = {
  status: ["cannot be active: its expirationDate is past, which can be changed along with it"],
};

/** What a pass is after one change; `nextVersion` tells whether that is different at all. */
export function applyChange(known: Pass, change: FullChange, ground: ChangeGround): ChangeResult {
  const merged = merge(known, change);
  // Only of new contents: what a template asks for today must not keep older ones from expiring.
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

/** The version that follows when something changed, however many changes led to it. */
export function nextVersion(known: Pass, changed: Pass, now: Date): Pass | undefined {
  if (known.status === changed.status && !hasNewContents(known, changed)) return undefined;
  // Whoever waited for the lock may have begun before the one who held it.
  const updatedAt = now > known.updatedAt ? now : known.updatedAt;
  return { ...changed, version: known.version + 1, updatedAt };
}

function merge(pass: Pass, change: FullChange): Pass {
  const { expirationDate } = change;
  return {
    ...pass,
    identifiers: mergeMembers(pass.identifiers, change.identifiers),
    data: mergeMembers(pass.data, change.additionalData),
    metadata: mergeMembers(pass.metadata, change.metadata),
    ...(expirationDate === undefined
      ? {}
      : {
          hasOwnExpiry: true,
          expiresAt: expirationDate === null ? null : new Date(expirationDate),
        }),
  };
}

/** Disabled wins; otherwise the clock decides. */
function statusAfter(pass: Pass, wanted: PassChange["status"], now: Date): PassStatus {
  if (wanted === "disabled" || (wanted === undefined && pass.status === "disabled")) {
    return "disabled";
  }
  return pass.expiresAt !== null && pass.expiresAt <= now ? "expired" : "active";
}

/** Whether anything but the status differs. */
export function hasNewContents(left: Pass, right: Pass): boolean {
  return !(
    left.expiresAt?.getTime() === right.expiresAt?.getTime() &&
    isSameJson(left.identifiers, right.identifiers) &&
    isSameJson(left.data, right.data) &&
    isSameJson(left.metadata, right.metadata)
  );
}
