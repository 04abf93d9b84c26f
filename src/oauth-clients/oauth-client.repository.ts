import type { SystemContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { type ListInput, listPage } from "#kernel/http/lists/list-page.ts";
import type { ListSpec } from "#kernel/http/lists/list-spec.ts";
import type { Answer } from "#kernel/http/route.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { type OAuthClient, type OAuthFlow, presentOAuthClient } from "./oauth-client.schema.ts";

const clientColumns = sql<OAuthClient>`
  id, name, redirect_uris as "redirectUris", flows, version, created_at as "createdAt",
  created_by as "createdBy", updated_at as "updatedAt"
`;

export const OAUTH_CLIENT_LIST: ListSpec = {
  fields: {
    clientId: { sql: "id", type: "id", nullable: false },
    name: { sql: "name", type: "text", nullable: false },
    createdAt: { sql: "created_at", type: "timestamp", nullable: false },
    createdBy: { sql: "created_by", type: "text", nullable: false },
    updatedAt: { sql: "updated_at", type: "timestamp", nullable: false },
  },
  id: "clientId",
  paging: "when-asked",
};

export function listOAuthClients(context: SystemContext, input: ListInput): Promise<Answer> {
  return listPage(
    context,
    {
      columns: clientColumns,
      from: sql`oauth_client`,
      where: sql`true`,
      spec: OAUTH_CLIENT_LIST,
      present: presentOAuthClient,
    },
    input,
  );
}

export type ClientFields = {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly flows: readonly OAuthFlow[];
};

export async function findOAuthClient(
  { db }: Pick<Runtime, "db">,
  id: string,
): Promise<OAuthClient | undefined> {
  const rows = await db.readAsSystem(sql<OAuthClient>`
    select ${clientColumns} from oauth_client where id = ${id}
  `);
  return rows[0];
}

export function findOAuthClientForUpdate(
  tx: TenantTx,
  id: string,
): Promise<OAuthClient | undefined> {
  return tx.maybeOne(sql<OAuthClient>`
    select ${clientColumns} from oauth_client where id = ${id} for update
  `);
}

export function insertOAuthClient(
  tx: TenantTx,
  id: string,
  { name, redirectUris, flows }: ClientFields,
): Promise<OAuthClient> {
  return tx.one(sql<OAuthClient>`
    insert into oauth_client (id, name, redirect_uris, flows, created_at, created_by, updated_at)
    values (${id}, ${name}, ${redirectUris}, ${flows}, ${tx.now}, ${tx.origin.actor.id}, ${tx.now})
    returning ${clientColumns}
  `);
}

export function updateOAuthClient(
  tx: TenantTx,
  id: string,
  { name, redirectUris, flows }: ClientFields,
): Promise<OAuthClient> {
  return tx.one(sql<OAuthClient>`
    update oauth_client
       set name = ${name}, redirect_uris = ${redirectUris}, flows = ${flows},
           version = version + 1, updated_at = ${tx.now}
     where id = ${id}
    returning ${clientColumns}
  `);
}

export async function deleteOAuthClient(tx: TenantTx, id: string): Promise<void> {
  await tx.run(sql`delete from oauth_client where id = ${id}`);
}
