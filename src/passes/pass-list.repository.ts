import type { TenantContext } from "#kernel/context.ts";
import { type Sql, sql } from "#kernel/db/sql.ts";
import { type ListInput, listPage } from "#kernel/http/list-page.ts";
import type { FilterOperator, ListField, ListSpec } from "#kernel/http/list-query.ts";
import type { Answer } from "#kernel/http/route.ts";
import { passColumns } from "./pass.repository.ts";
import type { Pass, PassView, WalletName } from "./pass.schema.ts";
import { countPasses } from "./pass-count.repository.ts";

const DECIMAL = /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/;
/** So that a cursor, which carries it, stays short. */
const SORTED_LENGTH_MAX = 200;

/** As the terms in the database are made. */
const TERM_LENGTH_MAX = 256;

/** Its conditions speak of the table by its name: `from pass`. */
export const PASS_LIST: ListSpec = {
  fields: {
    id: { sql: "pass.id", type: "id", nullable: false },
    passType: { sql: "pass.pass_type", type: "text", nullable: false },
    status: { sql: "pass.status", type: "text", nullable: false },
    creationDate: { sql: "pass.created_at", type: "timestamp", nullable: false },
    lastUpdateDate: { sql: "pass.updated_at", type: "timestamp", nullable: false },
    expirationDate: { sql: "pass.expires_at", type: "timestamp" },
    installationStatus: { sql: "pass.installation", type: "text", nullable: false },
    apple: walletField("apple"),
    google: walletField("google"),
  },
  families: [
    { prefix: "identifiers.", resolve: identifierField },
    { prefix: "additionalData.", resolve: (name) => valueField("data", name) },
    { prefix: "metadata.", resolve: (name) => valueField("metadata", name) },
  ],
  id: "id",
  defaultSort: [{ field: "id", direction: "DESC" }],
};

function walletField(wallet: WalletName): ListField {
  return {
    sql: sql`coalesce(pass.providers #>> ${`{${wallet},status}`}::text[], 'none')`,
    type: "text",
    nullable: false,
    /** What one wallet says limits what both together say, and for that there is an index. */
    condition(operator, value) {
      const plain = sql`coalesce(pass.providers #>> ${`{${wallet},status}`}::text[], 'none')`;
      if (operator !== "equals") return undefined;
      if (value === "installed")
        return sql`(pass.installation = ${value}::text and ${plain} = ${value}::text)`;
      if (value === "uninstalled")
        return sql`(pass.installation <> 'none' and ${plain} = ${value}::text)`;
      return undefined;
    },
  };
}

function identifierField(name: string): ListField {
  return {
    sql: sql`pass.identifiers ->> ${name}::text`,
    type: "text",
    condition(operator, value) {
      if (operator !== "equals") return undefined;
      return sql`exists (
        select from pass_identifier
         where pass_identifier.tenant_id = pass.tenant_id
           and pass_identifier.pass_id = pass.id
           and pass_identifier.name = ${name}::text
           and pass_identifier.value = ${value}::text)`;
    },
  };
}

/** A member of a JSON column, or of an object within it: `address.city`. */
function valueField(column: "data" | "metadata", name: string): ListField {
  const from = sql.raw(`pass.${column}`);
  const whole = sql`(${from} -> ${name}::text)`;
  const json = name.includes(".")
    ? sql`coalesce(${whole}, ${from} #> ${name.split(".")}::text[])`
    : whole;
  const text = sql`(${json} #>> '{}')`;
  return {
    sql: text,
    type: "text",
    sorted: { sql: sortedValue(json), type: "json" },
    condition(operator, value) {
      if (operator === "equals" && isIndexed(name, value)) {
        // The planner takes a bare comparison for one that few rows pass, and then reads them all.
        return sql`(${hasTerm(column, name, value)} and coalesce(${text} = ${value}::text, false))`;
      }
      return valueCondition(json, text, operator, value);
    },
  };
}

/** Those that the database keeps a term of: plain values, at most one object deep. */
function isIndexed(name: string, value: string): boolean {
  return name.split(".").length <= 2 && value.length <= TERM_LENGTH_MAX && !/^[[{]/.test(value);
}

function hasTerm(column: "data" | "metadata", name: string, value: string): Sql {
  return sql`exists (
    select from pass_term
     where pass_term.tenant_id = pass.tenant_id
       and pass_term.pass_id = pass.id
       and pass_term.term = pass_term_of(${column}, ${name}::text, ${value}::text))`;
}

function sortedValue(json: Sql): Sql {
  return sql`case jsonb_typeof(${json})
    when 'string' then to_jsonb(left(${json} #>> '{}', ${SORTED_LENGTH_MAX}))
    when 'number' then ${json}
    when 'boolean' then ${json}
  end`;
}

/** Numbers are greater or less than numbers, texts than texts; neither than the other. */
function valueCondition(
  json: Sql,
  text: Sql,
  operator: FilterOperator,
  value: string,
): Sql | undefined {
  if (operator !== "greaterThan" && operator !== "lessThan") return undefined;
  const compare = sql.raw(operator === "greaterThan" ? ">" : "<");
  const asText = sql`(jsonb_typeof(${json}) = 'string' and ${text} ${compare} ${value}::text)`;
  if (!DECIMAL.test(value)) return asText;
  return sql`(case jsonb_typeof(${json})
    when 'number' then (${json})::numeric ${compare} ${value}::numeric
    when 'string' then ${text} ${compare} ${value}::text
  end)`;
}

export function listPasses(
  context: TenantContext,
  input: ListInput,
  present: (pass: Pass) => PassView,
): Promise<Answer> {
  return listPage(
    context,
    {
      columns: passColumns,
      from: sql`pass`,
      where: sql`pass.tenant_id = ${context.tenantId}`,
      spec: PASS_LIST,
      present,
      count: (list, where) => countPasses(context, list, where),
    },
    input,
  );
}
