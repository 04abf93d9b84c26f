import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import { type ListInput, listPage } from "#kernel/http/list-page.ts";
import type { ListSpec } from "#kernel/http/list-query.ts";
import type { Answer } from "#kernel/http/route.ts";
import { passColumns } from "./pass.repository.ts";
import { type Pass, PassStatus, type PassView } from "./pass.schema.ts";
import { narrow } from "./pass-candidates.repository.ts";
import { countPasses } from "./pass-count.repository.ts";
import { identifierField, idField, valueField, walletField } from "./pass-field.repository.ts";

/** Its conditions speak of the table by its name: `from pass`. */
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
  families: [
    { prefix: "identifiers.", resolve: identifierField },
    { prefix: "additionalData.", resolve: (name) => valueField("data", name) },
    { prefix: "metadata.", resolve: (name) => valueField("metadata", name) },
  ],
  id: "id",
  paging: "always",
  defaultSort: [{ field: "id", direction: "DESC" }],
};

export async function listPasses(
  context: TenantContext,
  input: ListInput,
  present: (pass: Pass) => PassView,
): Promise<Answer> {
  const { where, areFew, total } = await narrow(context, input.list, PASS_LIST);
  return await listPage(
    context,
    {
      columns: passColumns,
      from: sql`pass`,
      where,
      areFew,
      spec: PASS_LIST,
      present,
      count: async (list, matching) => total ?? (await countPasses(context, list, matching)),
    },
    input,
  );
}
