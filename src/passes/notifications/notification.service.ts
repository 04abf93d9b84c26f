import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ProblemError, validationProblem } from "#kernel/errors.ts";
import { newId } from "#kernel/ids.ts";
import { insertDone } from "#src/jobs/public.ts";
import { aboutPass } from "../pass.audit.ts";
import { passNotFound } from "../pass.errors.ts";
import { passNotified } from "../pass.events.ts";
import { findPassesForUpdate } from "../pass.repository.ts";
import { type Pass, versionOf } from "../pass.schema.ts";
import { passNotActive } from "./notification.errors.ts";
import { type NotificationSent, notificationErrors } from "./notification.schema.ts";

/** Wallets are informed by the event `pass.notified`. */
export async function notifyPass(
  context: TenantContext,
  passId: string,
  sent: NotificationSent,
): Promise<string> {
  const errors = notificationErrors(sent);
  if (errors !== undefined) throw validationProblem(errors);
  return await context.transaction(async (tx) => {
    // Locked, so that no notification is sent after the pass was disabled.
    const [pass] = await findPassesForUpdate(tx, [passId]);
    if (pass === undefined) throw passNotFound({ passId });
    context.requireMatch(versionOf(pass));
    const problem = tellHolder(tx, pass, sent);
    if (problem !== undefined) throw problem;
    const languages = languagesOf(sent);
    const jobId = newId("job", tx.now.getTime());
    // The job is complete at once, because the modules that inform wallets listen to the event.
    const request = { subject: passId, selection: "passId", changes: [], options: {} };
    await insertDone(tx, { id: jobId, kind: "pass.notify", request, matched: 1 });
    tx.audit({ ...aboutPass(passId), after: { notified: true, languages, jobId } });
    return jobId;
  });
}

/**
 * Sends a message without `notificationErrors` to the holder of a locked pass. Returns the problem if
 * the pass is not active: its holder is then told nothing.
 */
export function tellHolder(
  tx: TenantTx,
  { id, passType, status: stored, expiresAt }: Pass,
  sent: NotificationSent,
): ProblemError | undefined {
  const { title = null, content = null, localizedContent = {} } = sent;
  const isOver = expiresAt !== null && expiresAt <= tx.now;
  const status = stored === "active" && isOver ? "expired" : stored;
  if (status !== "active") return passNotActive({ passId: id, status });
  tx.emit(passNotified, { id, passType, title, content, localizedContent }, { subject: id });
  return undefined;
}

export function languagesOf({ localizedContent = {} }: NotificationSent): string[] {
  return Object.keys(localizedContent);
}
