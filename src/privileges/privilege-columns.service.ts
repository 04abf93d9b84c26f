import type { ColumnSource } from "#src/passes/public.ts";
import { listValuesOfEach } from "./privilege.repository.ts";

/** The values of privileges in exports of passes, in all their digits. */
export const privilegeColumns: ColumnSource = {
  prefix: "privileges.",
  columnsOf: ({ privileges = [] }) => privileges.map(({ id }) => id),
  async read(context, passIds, names) {
    const rows = await listValuesOfEach(context, passIds, names);
    const byPass = Map.groupBy(rows, ({ passId }) => passId);
    return new Map(
      [...byPass].map(([passId, own]) => [
        passId,
        new Map(own.map(({ id, value }) => [id, value ?? ""])),
      ]),
    );
  },
};
