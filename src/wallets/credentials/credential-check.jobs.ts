import { TaskFailure, type TaskKind } from "#src/scheduler/public.ts";
import { tellExpiring } from "./credential.jobs.ts";
import { getWalletHealth } from "./credential.service.ts";

/** A wallet without any credential is one that the tenant does not use. */
const NOT_USED = "credential.none";

/** Checks the credentials of both wallets, and tells of those that expire soon. */
export const checkCredentialsTask: TaskKind = {
  kind: "check-credentials",
  async run({ context, log }) {
    await tellExpiring(context);
    const health = await getWalletHealth(context);
    let [errors, warnings] = [0, 0];
    for (const [wallet, { problems }] of Object.entries(health)) {
      for (const { severity, code, message, hint } of problems) {
        const isError = severity === "error" && code !== NOT_USED;
        if (isError) errors += 1;
        else if (severity === "warning") warnings += 1;
        const level = isError ? "error" : severity === "warning" ? "warn" : "info";
        await log(level, message, { wallet, code, hint });
      }
    }
    if (errors > 0) {
      const what = errors === 1 ? "1 problem keeps" : `${errors} problems keep`;
      const message = `${what} credentials from being used; the log says which.`;
      throw new TaskFailure("credential.unusable", message);
    }
    const noun = warnings === 1 ? "warning" : "warnings";
    const summary = warnings === 0 ? "No problem was found." : `${warnings} ${noun}; see the log.`;
    return { summary, counts: { warnings } };
  },
};
