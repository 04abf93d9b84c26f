import type { TenantContext } from "#kernel/context.ts";
import { validationProblem } from "#kernel/errors.ts";
import { newId } from "#kernel/ids.ts";
import { insertDone } from "#src/jobs/public.ts";
import { aboutPass } from "../pass.audit.ts";
import { passNotFound } from "../pass.errors.ts";
import { passNotified } from "../pass.events.ts";
import { findPassesForUpdate } from "../pass.repository.ts";
import { versionOf } from "../pass.schema.ts";
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
  const { title = null, content = null, localizedContent = {} } = sent;
  return await context.transaction(async (tx) => {
    // Locked, so that no notification is sent after the pass was disabled.
    const [pass] = await findPassesForUpdate(tx, [passId]);
    if (pass === undefined) throw passNotFound({ passId });
    context.requireMatch(versionOf(pass));
    const isOver = pass.expiresAt !== null && pass.expiresAt <= tx.now;
    const status = pass.status === "active" && isOver ? "expired" : pass.status;
    if (status !== "active") throw passNotActive({ passId, status });
    const { passType } = pass;
    tx.emit(
      passNotified,
      { id: passId, passType, title, content, localizedContent },
      { subject: passId },
    );
    const languages = Object.keys(localizedContent);
    const jobId = newId("job", tx.now.getTime());
    // The job is complete at once, because the modules that inform wallets listen to the event.
    const request = { subject: passId, selection: "passId", changes: [], options: {} };
    await insertDone(tx, { id: jobId, kind: "pass.notify", request, matched: 1 });
    tx.audit({ ...aboutPass(passId), after: { notified: true, languages, jobId } });
    return jobId;
  });
}
