import type { TenantContext } from "#kernel/context.ts";
import type { GoogleApi } from "../api/api.client.ts";
import type { GoogleFailure } from "../api/api.outcome.ts";
import type { BuiltClass } from "./class.plan.ts";
import { findClass, forgetSentClass } from "./class.repository.ts";
import { ensureClass, type SendingPass } from "./class.service.ts";

type UnknownClass = {
  readonly built: BuiltClass;
  readonly pass: SendingPass;
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
  { built, pass, since, failure }: UnknownClass,
): Promise<GoogleFailure | undefined> {
  await context.transaction((tx) => forgetSentClass(tx, built));
  const refused = await ensureClass(context, api, built, pass);
  if (refused !== undefined) return refused;
  const known = await findClass(context, built.classId);
  const isSent = known !== undefined && known.sentAt !== null && known.sentAt >= since;
  return isSent ? undefined : failure;
}
