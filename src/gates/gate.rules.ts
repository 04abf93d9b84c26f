import { createHash, hash } from "node:crypto";
import type { GateEntry, GateReason } from "./gate.schema.ts";

const HASH_BYTES = 16;
/** Stands for null in a line of the digest; it is neither a state nor a time. */
const NOTHING = "-";

/** What a list says about a pass, before any privilege is looked at. */
export type GatePass = {
  readonly status: "active" | "disabled" | "expired";
  readonly expiresAt: Date | null;
};

/** The redemption of a privilege at the gate, apart from its time. */
export type GateRedemption = {
  readonly refused: GateReason | undefined;
  readonly validFrom: Date | null;
  readonly validUntil: Date | null;
};

export type Verdict = Omit<GateEntry, "codes">;

/**
 * The decision about a pass as of now, and the times at which it changes by itself. `redemption` is
 * undefined if the gate redeems nothing.
 */
export function judge(pass: GatePass, redemption: GateRedemption | undefined, now: Date): Verdict {
  const validFrom = redemption?.validFrom ?? null;
  const validUntil = earlier(pass.expiresAt, redemption?.validUntil ?? null);
  const lasting = lastingReason(pass, redemption, now);
  const reason = lasting ?? reasonByTime(validFrom, validUntil, now);
  return {
    state: reason === null ? "accepted" : "rejected",
    reason,
    validFrom: validFrom?.toISOString() ?? null,
    validUntil: validUntil?.toISOString() ?? null,
  };
}

/** A reason that no time changes. */
function lastingReason(
  { status, expiresAt }: GatePass,
  redemption: GateRedemption | undefined,
  now: Date,
): GateReason | undefined {
  if (status === "disabled") return "disabled";
  // With a date, the date decides: a job marks passes some time after it.
  if (expiresAt === null ? status === "expired" : expiresAt <= now) return "expired";
  return redemption?.refused;
}

function reasonByTime(
  validFrom: Date | null,
  validUntil: Date | null,
  now: Date,
): GateReason | null {
  if (validUntil !== null && validUntil <= now) return "expired";
  return validFrom !== null && validFrom > now ? "not-yet-valid" : null;
}

function earlier(left: Date | null, right: Date | null): Date | null {
  if (left === null || right === null) return left ?? right;
  return left < right ? left : right;
}

/**
 * What a list holds instead of a code: the first half of a SHA-256, which is long enough that no
 * two codes meet, and keeps large lists small.
 */
export function hashCode(salt: string, code: string): string {
  return hash("sha256", salt + code, "buffer")
    .subarray(0, HASH_BYTES)
    .toString("base64url");
}

/**
 * The SHA-256 of all entries, each as one line. Made from the members and not from their JSON,
 * which every language writes in another way.
 */
export function digestOf(entries: readonly GateEntry[]): string {
  const digest = createHash("sha256");
  for (const { codes, state, reason, validFrom, validUntil } of entries) {
    const members = [codes.join(","), state, reason, validFrom, validUntil];
    digest.update(`${members.map((member) => member ?? NOTHING).join(" ")}\n`);
  }
  return digest.digest("base64url");
}
