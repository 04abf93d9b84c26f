import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Pass } from "#src/passes/public.ts";
import type { GoogleApi } from "../api/api.client.ts";
import type { GoogleFailure, GoogleOutcome } from "../api/api.outcome.ts";
import { NOTIFICATIONS_MAX } from "../classes/class.notices.ts";
import { type MessageType, messageContent } from "./message.content.ts";
import {
  countNotified,
  deleteUnsentBefore,
  listWaitingMessages,
  type UnsentMessage,
  updateSent,
  type WaitingMessage,
} from "./message.repository.ts";
import type { BuiltPass } from "./object-content.service.ts";
import { emitMessageFailed } from "./object-delivery.service.ts";

type Sender = { readonly context: TenantContext; readonly api: GoogleApi };

/** Longer than the 24 hours in which notifications are counted. */
export const MESSAGE_DAYS = 3;

/** Events are kept after the pass was erased, and what Google says may quote the pass: so these are our words. */
const REASONS: Readonly<Record<UnsentMessage["state"], string>> = {
  denied: `Google refused the account for ${MESSAGE_DAYS} days.`,
  failed: `Google refused the pass itself for ${MESSAGE_DAYS} days.`,
  queued: `Google did not take it for ${MESSAGE_DAYS} days.`,
  sent: `Google did not take it for ${MESSAGE_DAYS} days.`,
};

/** Ends messages that Google has not taken since then, and says so. Returns how many there were. */
export async function giveUpMessages(tx: TenantTx, before: Date, count: number): Promise<number> {
  const unsent = await deleteUnsentBefore(tx, before, count);
  for (const message of unsent) emitMessageFailed(tx, message, REASONS[message.state]);
  return unsent.length;
}

/** Sends the messages that wait for a pass, in their order, until one cannot be sent. */
export async function sendMessages(
  sender: Sender,
  pass: Pass,
  built: BuiltPass,
): Promise<GoogleFailure | undefined> {
  for (const message of await listWaitingMessages(sender.context, pass.id)) {
    const failure = await sendMessage(sender, { ...message, passType: pass.passType }, built);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function sendMessage(
  { context, api }: Sender,
  message: WaitingMessage & Pick<Pass, "passType">,
  { type, objectId, defaultLocale, organization }: BuiltPass,
): Promise<GoogleFailure | undefined> {
  const send = (messageType: MessageType): Promise<GoogleOutcome> => {
    const content = messageContent(message, defaultLocale, organization, messageType);
    return api.addMessage(`${type}Object`, objectId, content);
  };
  let hasNotified = (await countNotified(context, message.passId)) < NOTIFICATIONS_MAX;
  let outcome = await send(hasNotified ? "TEXT_AND_NOTIFY" : "TEXT");
  if (outcome.kind === "quota" && outcome.isRateLimit !== true && hasNotified) {
    // Others may have notified the holder too. Without a notification, Google takes the text.
    hasNotified = false;
    outcome = await send("TEXT");
  }
  if (outcome.kind !== "done" && outcome.kind !== "refused") return outcome;
  const refused = outcome.kind === "refused" ? outcome : undefined;
  const problem = refused?.message ?? null;
  const sent = { id: message.id, hasNotified: hasNotified && problem === null, problem };
  await context.transaction(async (tx) => {
    const isRecorded = await updateSent(tx, sent);
    if (isRecorded && refused !== undefined) emitMessageFailed(tx, message, reasonOf(refused));
  });
  return undefined;
}

const reasonOf = ({ code }: GoogleFailure): string =>
  code === undefined ? "Google refused the message." : `Google answered ${code}.`;
