import { listen } from "#kernel/events/listen.ts";
import { deleteLinesOfFiles } from "#src/scheduler/public.ts";
import { passDeleted } from "../pass.events.ts";

/** Exported files contain personal data too, so the line is deleted in the same transaction. */
export const dropLinesOfErased = listen(passDeleted, (tx, events) =>
  deleteLinesOfFiles(
    tx,
    events.map(({ data }) => data.id),
  ),
);
