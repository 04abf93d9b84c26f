import type { Actor } from "#kernel/actor.ts";
import { Call } from "#kernel/call.ts";
import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import { ANONYMOUS } from "#kernel/http/anonymous.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { verifyPassword } from "../administrators/administrator.password.ts";
import { findPassword, updateLastSignIn } from "../administrators/administrator.repository.ts";
import { addressGroup } from "../credentials/address-counter.ts";
import {
  deleteAttempts,
  type Subject,
  takeAttempt,
  undoAttempt,
} from "./sign-in-attempt.repository.ts";

/** Identifies the request of a form, for the audit and the counters. */
export type Visit = { readonly requestId: string; readonly ip: string };

export type SignInOutcome =
  | { readonly kind: "signed-in"; readonly administratorId: string }
  | { readonly kind: "refused" }
  | { readonly kind: "wait"; readonly seconds: number };

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
  const seconds = await call.transaction(async (tx) => {
    const addressWait = await takeAttempt(tx, address);
    if (addressWait !== undefined) return addressWait;
    const accountWait = await takeAttempt(tx, account);
    if (accountWait !== undefined) await undoAttempt(tx, address);
    return accountWait;
  });
  if (seconds !== undefined) return { kind: "wait", seconds };

  const found = await findPassword(runtime, sent.email);
  const password = sent.password.slice(0, PASSWORD_CHARACTERS_READ_MAX);
  const isRight = await verifyPassword(password, found?.passwordHash ?? null).catch(
    async (error: unknown) => {
      // The check itself failed, so the attempt was not a wrong guess.
      await call.transaction(async (tx) => {
        await undoAttempt(tx, address);
        await undoAttempt(tx, account);
      });
      throw error;
    },
  );
  if (!isRight || found === undefined) {
    runtime.log.warn({ ip: visit.ip, requestId: visit.requestId }, "sign-in refused");
    return { kind: "refused" };
  }

  await visitorCall(runtime, visit, "session.create", personActor(found)).transaction(
    async (tx) => {
      // Only this attempt is taken back for the address, because many people may share it.
      await undoAttempt(tx, address);
      await deleteAttempts(tx, account);
      await updateLastSignIn(tx, found.id);
      tx.audit({ target: `administrator:${found.id}` });
    },
  );
  return { kind: "signed-in", administratorId: found.id };
}

/** A call from a person at a page, outside of any tenant. */
export function visitorCall(runtime: Runtime, visit: Visit, op: string, actor: Actor): Call {
  return new Call(runtime, { ...visit, tenantId: SYSTEM_SCOPE, actor, op });
}

export function personActor({ id, email }: { id: string; email: string }): Actor {
  return { ...ANONYMOUS, kind: "administrator", id: email, credentialId: `administrator:${id}` };
}
