import type { Call } from "#kernel/call.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { FairGate } from "#kernel/fair-gate.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { PasswordTurn } from "../administrators/administrator.password.ts";
import { addressGroup, networkGroup } from "../credentials/address-counter.ts";
import type { KnownBrowser } from "./known-browser.repository.ts";
import {
  type Attempt,
  deleteAttempts,
  type Subject,
  takeAttempt,
  undoAttempt,
  type Wait,
} from "./sign-in-attempt.repository.ts";

/**
 * With more guesses of one account on one day, each network may guess it only twice. Before, every
 * address counts for itself: 40 of them, with their five guesses each, come to this number.
 */
const CALM_GUESSES_PER_DAY_MAX = 200;

/**
 * Attempts of unknown browsers are counted one at a time for each address, and by few connections
 * of the database in all: many transactions that wait for one row would take every connection.
 */
const countingOf = perRuntime(
  () => new FairGate({ atOnceMax: 2, waitingPerGroupMax: 300, waitMsMax: 10_000 }),
);

export type Admission = {
  readonly kind: "admitted";
  readonly attempts: readonly Attempt[];
  /** Where the password waits for its check. */
  readonly turn: PasswordTurn;
  /** True for the guess by which the account begins to limit every network. */
  readonly isAlarming: boolean;
};

type Visitor = {
  readonly email: string;
  readonly ip: string;
  /** Undefined for a browser that the account does not know, and if there is no such account. */
  readonly browser: KnownBrowser | undefined;
};

/**
 * Counts the attempt before the password is checked.
 *
 * A browser that the account knows is counted by itself: no guess of others makes it wait, neither
 * of its own address nor of a thousand networks. After too many guesses of its own it counts as an
 * unknown one for a while, so that a stolen cookie is worth a few guesses, and the holder, who has
 * the same cookie, is never worse off than without it.
 *
 * Unknown browsers are counted by address, by account and address, and by account. Guesses from
 * elsewhere concern them only on a day with very many of them.
 */
export async function admitAttempt(call: Call, visitor: Visitor): Promise<Admission | Wait> {
  const { browser } = visitor;
  if (browser === undefined) return await admitUnknown(call, visitor);
  const subject: Subject = { kind: "browser", value: browser.tokenHash.toString("hex") };
  const own = await call.transaction((tx) => takeAttempt(tx, subject));
  if (own.kind === "attempt") {
    const turn = { gate: "known", group: browser.administratorId } as const;
    return { kind: "admitted", attempts: [own], turn, isAlarming: false };
  }
  const asUnknown = await admitUnknown(call, visitor);
  if (asUnknown.kind === "admitted") return asUnknown;
  // The browser is let in again as soon as either wait ends.
  return own.seconds < asUnknown.seconds ? own : asUnknown;
}

function admitUnknown(call: Call, visitor: Visitor): Promise<Admission | Wait> {
  return countingOf(call.runtime).run(addressGroup(visitor.ip), () =>
    call.transaction((tx) => takeUnknown(tx, visitor)),
  );
}

async function takeUnknown(tx: TenantTx, { email, ip }: Visitor): Promise<Admission | Wait> {
  const address = addressGroup(ip);
  const day = tx.now.toISOString().slice(0, 10);
  const attempts: Attempt[] = [];
  const take = async (subject: Subject) => {
    const taken = await takeAttempt(tx, subject);
    if (taken.kind === "attempt") attempts.push(taken);
    else await undoAttempts(tx, attempts);
    return taken;
  };
  // In this order always, so that two transactions do not deadlock. What an address may do comes
  // before what an account allows to all, so that no address alone can use that up.
  const atAddress = await take({ kind: "address", value: address });
  if (atAddress.kind === "wait") return atAddress;
  const ofAccount = await take({ kind: "account-address", value: `${address} ${email}` });
  if (ofAccount.kind === "wait") return ofAccount;
  const onDay = await take({ kind: "account-day", value: `${day} ${email}` });
  if (onDay.kind === "wait") return onDay;
  if (onDay.failures > CALM_GUESSES_PER_DAY_MAX) {
    const ofNetwork = await take({
      kind: "account-network",
      value: `${networkGroup(ip)} ${email}`,
    });
    if (ofNetwork.kind === "wait") return ofNetwork;
  }
  const isAlarming = onDay.failures === CALM_GUESSES_PER_DAY_MAX;
  return { kind: "admitted", attempts, turn: { gate: "unknown", group: address }, isAlarming };
}

/** For attempts that were not wrong guesses. */
export async function undoAttempts(tx: TenantTx, attempts: readonly Attempt[]): Promise<void> {
  for (const attempt of attempts) await undoAttempt(tx, attempt);
}

/** After the right password. What others may have guessed, too, stays counted. */
export async function settleAttempts(tx: TenantTx, attempts: readonly Attempt[]): Promise<void> {
  for (const attempt of attempts) {
    const { kind } = attempt.subject;
    if (kind === "browser" || kind === "account-address") await deleteAttempts(tx, attempt.subject);
    else await undoAttempt(tx, attempt);
  }
}
