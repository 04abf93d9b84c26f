import type { Actor } from "#kernel/actor.ts";
import { Call } from "#kernel/call.ts";
import { SYSTEM_SCOPE } from "#kernel/db/scope.ts";
import { ANONYMOUS } from "#kernel/http/anonymous.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { verifyPassword } from "../administrators/administrator.password.ts";
import { findPassword, updateLastSignIn } from "../administrators/administrator.repository.ts";
import type { BrowserToken } from "./known-browser.cookie.ts";
import { findKnownBrowser, rememberBrowser } from "./known-browser.service.ts";
import type { Wait } from "./sign-in-attempt.repository.ts";
import { admitAttempt, settleAttempts, undoAttempts } from "./sign-in-throttle.service.ts";

/** Identifies the request of a form, for the audit and the counters. */
export type Visit = { readonly requestId: string; readonly ip: string };

export type SignInOutcome =
  | { readonly kind: "signed-in"; readonly browser: BrowserToken }
  | { readonly kind: "refused" }
  | Wait;

const PASSWORD_CHARACTERS_READ_MAX = 1_000;

export type SentSignIn = {
  readonly email: string;
  readonly password: string;
  /** What the browser sent of what it got at former sign-ins. */
  readonly browserTokens: readonly string[];
};

/** The outcome `refused` does not show whether the account exists. */
export async function signIn(
  runtime: Runtime,
  visit: Visit,
  { email, password, browserTokens }: SentSignIn,
): Promise<SignInOutcome> {
  const call = visitorCall(runtime, visit, "session.create", ANONYMOUS);
  const browser = await findKnownBrowser(runtime, email, browserTokens);
  const admission = await admitAttempt(call, { email, ip: visit.ip, browser });
  if (admission.kind === "wait") return admission;

  const { attempts, turn, isAlarming } = admission;
  const found = await findPassword(runtime, email);
  const read = password.slice(0, PASSWORD_CHARACTERS_READ_MAX);
  const isRight = await verifyPassword(read, found?.passwordHash ?? null, turn).catch(
    async (error: unknown) => {
      // The check itself failed, so the attempt was not a wrong guess.
      await call.transaction((tx) => undoAttempts(tx, attempts));
      throw error;
    },
  );
  if (!isRight || found === undefined) {
    const { ip, requestId } = visit;
    runtime.log.warn({ ip, requestId }, "sign-in refused");
    if (isAlarming && found !== undefined) {
      const administratorId = found.id;
      runtime.log.warn({ administratorId, requestId }, "one password is guessed from many places");
    }
    return { kind: "refused" };
  }

  return await visitorCall(runtime, visit, "session.create", personActor(found)).transaction(
    async (tx) => {
      await settleAttempts(tx, attempts);
      await updateLastSignIn(tx, found.id);
      tx.audit({ target: `administrator:${found.id}` });
      return { kind: "signed-in", browser: await rememberBrowser(tx, found.id, browser) };
    },
  );
}

/** A call from a person at a page, outside of any tenant. */
export function visitorCall(runtime: Runtime, visit: Visit, op: string, actor: Actor): Call {
  return new Call(runtime, { ...visit, tenantId: SYSTEM_SCOPE, actor, op });
}

export function personActor({ id, email }: { id: string; email: string }): Actor {
  return { ...ANONYMOUS, kind: "administrator", id: email, credentialId: `administrator:${id}` };
}
