import type { Actor } from "#kernel/actor.ts";
import { Call } from "#kernel/call.ts";
import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { ANONYMOUS } from "#kernel/http/anonymous.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { verifyPassword } from "../administrators/administrator.password.ts";
import { findPassword, updateLastSignIn } from "../administrators/administrator.repository.ts";
import { addressGroup } from "../credentials/address-counter.ts";
import {
  type Attempt,
  deleteAttempts,
  type Subject,
  takeAttempt,
  undoAttempt,
  type Wait,
} from "./sign-in-attempt.repository.ts";

/** Identifies the request of a form, for the audit and the counters. */
export type Visit = { readonly requestId: string; readonly ip: string };

export type SignInOutcome =
  | { readonly kind: "signed-in"; readonly administratorId: string }
  | { readonly kind: "refused" }
  | Wait;

const PASSWORD_CHARACTERS_READ_MAX = 1_000;

/** The outcome `refused` does not show whether the account exists. */
export async function signIn(
  runtime: Runtime,
  visit: Visit,
  sent: { readonly email: string; readonly password: string },
): Promise<SignInOutcome> {
  const account: Subject = { kind: "account", value: sent.email };
  const address: Subject = { kind: "address", value: addressGroup(visit.ip) };
  const call = visitorCall(runtime, visit, "session.create", ANONYMOUS);
  const taken = await call.transaction((tx) => takeBoth(tx, address, account));
  if (taken.kind === "wait") return taken;

  const found = await findPassword(runtime, sent.email);
  const password = sent.password.slice(0, PASSWORD_CHARACTERS_READ_MAX);
  const isRight = await verifyPassword(password, found?.passwordHash ?? null, {
    gate: "unknown",
    group: address.value,
  }).catch(async (error: unknown) => {
    // The check itself failed, so the attempt was not a wrong guess.
    await call.transaction(async (tx) => {
      await undoAttempt(tx, taken.atAddress);
      await undoAttempt(tx, taken.atAccount);
    });
    throw error;
  });
  if (!isRight || found === undefined) {
    runtime.log.warn({ ip: visit.ip, requestId: visit.requestId }, "sign-in refused");
    return { kind: "refused" };
  }

  await visitorCall(runtime, visit, "session.create", personActor(found)).transaction(
    async (tx) => {
      // Only this attempt is taken back for the address, because many people may share it.
      await undoAttempt(tx, taken.atAddress);
      await deleteAttempts(tx, account);
      await updateLastSignIn(tx, found.id);
      tx.audit({ target: `administrator:${found.id}` });
    },
  );
  return { kind: "signed-in", administratorId: found.id };
}

type Taken = { readonly kind: "taken"; readonly atAddress: Attempt; readonly atAccount: Attempt };

async function takeBoth(tx: TenantTx, address: Subject, account: Subject): Promise<Taken | Wait> {
  const atAddress = await takeAttempt(tx, address);
  if (atAddress.kind === "wait") return atAddress;
  const atAccount = await takeAttempt(tx, account);
  if (atAccount.kind === "attempt") return { kind: "taken", atAddress, atAccount };
  await undoAttempt(tx, atAddress);
  return atAccount;
}

/** A call from a person at a page, outside of any tenant. */
export function visitorCall(runtime: Runtime, visit: Visit, op: string, actor: Actor): Call {
  return new Call(runtime, { ...visit, tenantId: SYSTEM_SCOPE, actor, op });
}

export function personActor({ id, email }: { id: string; email: string }): Actor {
  return { ...ANONYMOUS, kind: "administrator", id: email, credentialId: `administrator:${id}` };
}
