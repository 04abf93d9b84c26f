import { databaseUnavailable } from "#kernel/db/database.ts";
import { ProblemError } from "#kernel/errors.ts";
import { TaskFailure, type TaskKind } from "#src/scheduler/public.ts";
import { templatesOf } from "#src/templates/public.ts";
import { hasManyClasses } from "../google.content.ts";
import { googleAccountOf } from "../google-account.ts";
import { syncClass } from "./class.service.ts";

/** Sends the classes to Google as the templates have them, whatever became of them there. */
export const syncClassesTask: TaskKind = {
  kind: "sync-wallet-classes",
  async run({ context, settings, signal, log }) {
    await googleAccountOf(context);
    const { templates } = await templatesOf(context);
    const wanted = [...templates.values()].filter(
      ({ passType }) => settings.passType === undefined || settings.passType === passType,
    );
    let [sent, skipped, failed] = [0, 0, 0];
    for (const template of wanted) {
      signal.throwIfAborted();
      const { passType } = template;
      if (hasManyClasses(template)) {
        skipped += 1;
        await log("info", "The classes of this type come with their passes.", { passType });
        continue;
      }
      try {
        const { classId } = await syncClass(context, passType);
        sent += 1;
        await log("info", "The class was sent.", { passType, classId });
      } catch (error) {
        // A database that is away says nothing about the class: the run is tried again.
        const isOfClass = error instanceof ProblemError && error.code !== databaseUnavailable.code;
        if (!isOfClass) throw error;
        failed += 1;
        await log("error", error.message, { passType, code: error.code });
      }
    }
    if (failed > 0) {
      const what = failed === 1 ? "1 class" : `${failed} classes`;
      const message = `${what} could not be sent to Google; the log says why.`;
      throw new TaskFailure("google-class.not-sent", message);
    }
    const summary = sent === 1 ? "1 class was sent." : `${sent} classes were sent.`;
    return { summary, counts: { sent, skipped } };
  },
};
