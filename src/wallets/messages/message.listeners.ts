import { listen } from "#kernel/events/listen.ts";
import { passDeleted, passNotified } from "#src/passes/public.ts";
import { deleteMessages, upsertMessage } from "./message.repository.ts";

/** The event's id is that of the message: a wallet shows a message once, however often it is told. */
export const keepMessage = listen(passNotified, async (tx, events) => {
  for (const { id, occurredAt, data } of events) {
    const { title, content, localizedContent } = data;
    upsertMessage(tx, data.id, { id, title, content, localizedContent, sentAt: occurredAt });
  }
});

export const forgetMessages = listen(passDeleted, async (tx, events) => {
  deleteMessages(
    tx,
    events.map(({ data }) => data.id),
  );
});
