import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { servicesOf } from "../../wallet.services.ts";
import { pushForm } from "../apple.push-form.ts";
import { appleSettingsOf, appleSignerOf } from "../signing/apple-signer.ts";
import { judge, type PushAnswer } from "./push.answer.ts";
import { type PushSender, PushUnreachable, pushClientOf } from "./push.client.ts";
import { type PauseReason, PUSH_KEPT_SECONDS } from "./push.schedule.ts";

/** What is not sent by then is left for the next batch. */
const BATCH_MS_MAX = 60_000;
/** The detail of a pause for which Apple was not asked. */
export const NO_SERVICE = "NoService";

/** Set when every other push of the tenant would fail as well. */
export type Stop = {
  readonly reason: PauseReason;
  readonly detail: string;
  /** For the log, in words. */
  readonly problem?: string;
};

/** The certificate that pushes; why nothing can be pushed, if there is none that works. */
export async function senderOf(context: TenantContext): Promise<PushSender | Stop> {
  try {
    return await appleSignerOf(context);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status === 503) throw error;
    return { reason: "refused", detail: error.code, problem: error.message };
  }
}

export type Answers = {
  /** In the order of the tokens; undefined where nothing was tried. */
  readonly answers: readonly (PushAnswer | undefined)[];
  readonly stop: Stop | undefined;
};

/** Pushes once to each token. */
export async function sendPushes(
  context: TenantContext,
  sender: PushSender,
  tokens: readonly string[],
  leaseSignal: AbortSignal,
): Promise<Answers> {
  const { runtime, clock } = context;
  const service = await findService(context, sender);
  if (service === undefined) {
    return { answers: [], stop: { reason: "unreachable", detail: NO_SERVICE } };
  }
  const client = pushClientOf(runtime);
  const form = pushForm((await appleSettingsOf(context)) ?? {});
  const expiration = String(Math.floor(clock.now().getTime() / 1_000) + PUSH_KEPT_SECONDS);
  using ending = endingWith(leaseSignal, BATCH_MS_MAX);
  const { signal } = ending;
  let stop: Stop | undefined;
  const stopFor = (reason: PauseReason, detail: string) => {
    stop ??= { reason, detail };
    ending.end();
  };
  const send = async (pushToken: string): Promise<PushAnswer | undefined> => {
    try {
      const answer = await client.push(service, sender, { pushToken, expiration, form }, signal);
      if (judge(answer) !== "refused") return answer;
      stopFor("refused", answer.reason ?? `Status${answer.status}`);
    } catch (error) {
      if (error instanceof PushUnreachable) stopFor("unreachable", causeOf(error));
      else if (!signal.aborted) throw error;
    }
    return undefined;
  };
  const answers = await Promise.all(tokens.map(send));
  return { answers, stop };
}

/**
 * Ends with another signal or after some time. Each push looks at the signal more than once, and one that
 * `AbortSignal.any` made looks at all its sources each time.
 */
function endingWith(other: AbortSignal, ms: number) {
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, ms);
  other.addEventListener("abort", end, { once: true });
  if (other.aborted) end();
  return {
    signal: controller.signal,
    end,
    [Symbol.dispose]() {
      clearTimeout(timer);
      other.removeEventListener("abort", end);
    },
  };
}

/** Undefined if it cannot be found now, such as a simulator that does not start. */
async function findService(
  { runtime, log, tenantId }: TenantContext,
  { isDevelopment }: PushSender,
) {
  try {
    return await servicesOf(runtime).apple(isDevelopment);
  } catch (error) {
    log.warn({ err: error, tenantId }, "Apple's push service is not available");
    return undefined;
  }
}

/** A code such as ECONNREFUSED: messages of the network may name addresses. */
function causeOf({ cause }: PushUnreachable): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : "NoAnswer";
}
