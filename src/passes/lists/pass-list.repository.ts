import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import { passColumns } from "../pass.repository.ts";
import { type Pass, PassStatus, type PassView } from "../pass.schema.ts";
import { narrow } from "./pass-candidates.repository.ts";
import { countPasses } from "./pass-count.repository.ts";
import { idField, passFamilies, walletField } from "./pass-field.repository.ts";

/** The conditions use the name of the table, so a query must say `from pass`. */
export const PASS_LIST: ListSpec = {
  fields: {
    id: idField,
    passType: { sql: "pass.pass_type", type: "text", nullable: false },
    status: { sql: "pass.status", type: "text", values: PassStatus.enum, nullable: false },
    creationDate: { sql: "pass.created_at", type: "timestamp", nullable: false },
    lastUpdateDate: { sql: "pass.updated_at", type: "timestamp", nullable: false },
    expirationDate: { sql: "pass.expires_at", type: "timestamp" },
    installationStatus: walletField("pass.installation"),
    apple: walletField("pass.apple"),
    google: walletField("pass.google"),
  },
  families: passFamilies,
  id: "id",
  paging: "always",
  defaultSort: [{ field: "id", direction: "DESC" }],
};

export async function listPasses(
  context: TenantContext,
  input: ListInput,
  present: (pass: Pass) => PassView,
): Promise<Answer> {
  const { where, ordered, total } = await narrow(context, input.list);
  return await listPage(
    context,
    {
      columns: passColumns,
      from: sql`pass`,
      where,
      ordered,
      spec: PASS_LIST,
      present,
      count: async (list, matching) => total ?? (await countPasses(context, list, matching)),
    },
    input,
  );
}
