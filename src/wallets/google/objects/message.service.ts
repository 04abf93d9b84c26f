import type { TenantContext } from "#kernel/context.ts";
import type { GoogleApi } from "../api/api.client.ts";
import type { GoogleFailure, GoogleOutcome } from "../api/api.outcome.ts";
import { NOTIFICATIONS_MAX } from "../classes/class.notices.ts";
import { type MessageType, messageContent } from "./message.content.ts";
import {
  countNotified,
  type GoogleMessage,
  listWaitingMessages,
  updateSent,
} from "./message.repository.ts";
import type { BuiltPass } from "./object-content.service.ts";

type Sender = { readonly context: TenantContext; readonly api: GoogleApi };

/** Sends the messages that wait for a pass, in their order, until one cannot be sent. */
export async function sendMessages(
  sender: Sender,
  passId: string,
  built: BuiltPass,
): Promise<GoogleFailure | undefined> {
  for (const message of await listWaitingMessages(sender.context, passId)) {
    const failure = await sendMessage(sender, message, built);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function sendMessage(
  { context, api }: Sender,
  message: GoogleMessage,
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
  const problem = outcome.kind === "done" ? null : outcome.message;
  const sent = { id: message.id, hasNotified: hasNotified && problem === null, problem };
  await context.transaction((tx) => updateSent(tx, sent));
  return undefined;
}
