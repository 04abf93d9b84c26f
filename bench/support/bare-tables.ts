import type { ClientConfig } from "pg";
import { withAdmin } from "#test/support/server.ts";

/** Makes connections of a baseline find the copies first. */
export const BARE_OPTIONS = "-c search_path=bare,public";

/**
 * Copies of the product's tables for the baselines: the same columns, indexes and keys of the bench,
 * without row-level security, which binds even the owner of the real ones.
 */
export function copyTables(connection: ClientConfig): Promise<void> {
  return withAdmin(connection, async (client) => {
    await client.query(`
      create schema bare;
      create table bare.api_key (like public.api_key including all,
        foreign key (tenant_id) references public.tenant (id) on delete cascade);
      create table bare.event (like public.event including all);
      create table bare.audit (like public.audit including all);
      create table bare.pass (like public.pass including all);
      create table bare.pass_identifier (like public.pass_identifier including all);
      create table bare.issued_code (like public.issued_code including all);
      create table bare.scan (like public.scan including all);
      create table bare.privilege (like public.privilege including all);
      create table bare.inbound_delivery (like public.inbound_delivery including all);
      create table bare.movement (like public.movement including all);
      select set_config('app.tenant', '*', true);
      insert into bare.api_key select * from public.api_key;
    `);
  });
}

/** Gives the baselines the passes of a tenant too, with the codes they were issued with. */
export function copyPasses(connection: ClientConfig, tenantId: string): Promise<void> {
  return withAdmin(connection, async (client) => {
    await client.query("select set_config('app.tenant', '*', false)");
    for (const table of ["pass", "pass_identifier", "issued_code"]) {
      const { rows } = await client.query<{ name: string }>(
        `select quote_ident(attname) as name from pg_attribute
          where attrelid = 'public.${table}'::regclass and attnum > 0 and not attisdropped
            and attgenerated = ''`,
      );
      const columns = rows.map(({ name }) => name).join(", ");
      await client.query(
        `insert into bare.${table} (${columns}) select ${columns} from public.${table}
          where tenant_id = $1`,
        [tenantId],
      );
      await client.query(`analyze bare.${table}`);
    }
  });
}
