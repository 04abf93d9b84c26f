import type { TenantContext } from "#kernel/context.ts";
import type { GoogleApi } from "../api/api.client.ts";
import type { GoogleFailure } from "../api/api.outcome.ts";
import { findClass, forgetSentClass } from "./class.repository.ts";
import { type BuiltClass, ensureClass } from "./class.service.ts";

/** The first try may share the answer of others, the second one not. */
const TRIES_MAX = 2;

type UnknownClass = {
  readonly built: BuiltClass;
  /** When the object began to be sent. */
  readonly since: Date;
  /** That Google does not know the class. */
  readonly failure: GoogleFailure;
};

/**
 * Sends a class again that Google does not know although it was sent, such as after a move to another
 * Google. Undefined if it was sent since the object met that: then the object is sent once more. The
 * first object of a version has the class sent, and those that met the same wait for it.
 */
export async function resendClass(
  context: TenantContext,
  api: GoogleApi,
  { built, since, failure }: UnknownClass,
): Promise<GoogleFailure | undefined> {
  await context.transaction((tx) => forgetSentClass(tx, built));
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const refused = await ensureClass(context, api, built);
    if (refused !== undefined) return refused;
    const known = await findClass(context, built.classId);
    if (known === undefined) return failure;
    if (known.sentAt !== null) return known.sentAt >= since ? undefined : failure;
    // Others had looked the class up before it was forgotten, and this pass shared their answer.
  }
  return failure;
}
