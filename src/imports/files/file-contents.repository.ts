import { sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { TOLD_MESSAGE } from "../outcomes/outcome.schema.ts";
import type { ImportFile } from "./file.schema.ts";

export type SameContents = Pick<ImportFile, "id" | "name" | "failed"> & {
  readonly finishedAt: Date;
  /** Whether holders were sent messages, which they should not get twice. */
  readonly hasTold: boolean;
};

/**
 * The newest import of the same contents that did something; undefined if there is none, or if a file
 * with one of their names and other contents was imported since: then this one sets values back.
 */
export function findSameContents(
  tx: TenantTx,
  { id, name, contentHash }: ImportFile,
): Promise<SameContents | undefined> {
  return tx.maybeOne(sql<SameContents>`
    select id, name, failed, finished_at as "finishedAt",
           exists (select from import_outcome as told
                    where told.tenant_id = ${tx.tenantId}
                      and told.file_id = earlier.id
                      and told.outcome <> 'failed'
                      and told.message is not null
                      and told.message = ${TOLD_MESSAGE}) as "hasTold"
      from (select *
              from import_file
             where tenant_id = ${tx.tenantId}
               and content_hash = ${contentHash}
               and state = 'processed'
               and not is_dry_run
               and created + updated + unchanged > 0
               and id <> ${id}
             order by id desc
             limit 1) as earlier
     where not exists (
             select from import_file as later
              where later.tenant_id = ${tx.tenantId}
                and later.name in (earlier.name, ${name})
                and later.id > earlier.id
                and later.id <> ${id}
                and later.content_hash <> ${contentHash}
                and not later.is_dry_run
                and later.rows > 0)
  `);
}
