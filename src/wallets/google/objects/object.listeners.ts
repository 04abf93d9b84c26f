import { listen } from "#kernel/events/listen.ts";
import {
  passDeleted,
  passDisabled,
  passEnabled,
  passExpired,
  passNotified,
  passUpdated,
} from "#src/passes/public.ts";
import { configurationPublished } from "#src/tenants/public.ts";
import { PRIVILEGE_CHANGES, passesShowing } from "../../privilege.changes.ts";
import { passChangesOf } from "../../publication.changes.ts";
import { deleteMessages, insertMessage } from "./message.repository.ts";
import { refreshObjects } from "./object.jobs.ts";
import { markChanged, markErased } from "./object.repository.ts";
import { OBJECT_HINT } from "./object.signal.ts";

export const followPasses = listen(
  [passUpdated, passDisabled, passEnabled, passExpired],
  async (tx, events) => {
    markChanged(tx, [...new Set(events.map(({ data }) => data.id))]);
    tx.hint(OBJECT_HINT, tx.tenantId);
  },
);

/** A content that shows no privileges stays the same, and Google is not told. */
export const followPrivileges = listen(PRIVILEGE_CHANGES, async (tx, events) => {
  const passIds = passesShowing(events);
  if (passIds.length === 0) return;
  markChanged(tx, passIds);
  tx.hint(OBJECT_HINT, tx.tenantId);
});

export const followNotifications = listen(passNotified, async (tx, events) => {
  for (const { id, data } of events) {
    const { id: passId, title, content, localizedContent } = data;
    insertMessage(tx, { id, passId, title, content, localizedContent });
    markChanged(tx, [passId]);
  }
  tx.hint(OBJECT_HINT, tx.tenantId);
});

/** Messages may hold personal data; what Google has is emptied soon after. */
export const followErasures = listen(passDeleted, async (tx, events) => {
  const passIds = events.map(({ data }) => data.id);
  deleteMessages(tx, passIds);
  markErased(tx, passIds);
  tx.hint(OBJECT_HINT, tx.tenantId);
});

/** New files may change many passes, and may name another account. */
export const followPublications = listen(configurationPublished, async (tx, events) => {
  const { paths } = passChangesOf(tx, "google", events);
  if (paths?.length === 0) return;
  tx.enqueue(refreshObjects, { after: "", ...(paths && { paths: [...paths] }) });
});
