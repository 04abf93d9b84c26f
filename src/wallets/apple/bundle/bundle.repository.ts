import type { TenantContext } from "#kernel/context.ts";
import { sql } from "#kernel/db/sql.ts";
import type { PassMessage } from "../../messages/message.repository.ts";
import { UNFETCHED } from "../deliveries/delivery.repository.ts";
import type { IssuedState } from "../deliveries/pass-state.repository.ts";

/** What the wallets know about a pass beside the pass itself, all of one moment. */
export type PassIssue = {
  /** Undefined for a pass that was never given out. */
  readonly state: IssuedState | undefined;
  readonly message: PassMessage | undefined;
  /** Whether a device was told of a change and has not fetched it yet. */
  readonly isAwaited: boolean;
};

type Nullable<Members> = { readonly [Name in keyof Members]: Members[Name] | null };
type Row = Nullable<IssuedState> & Nullable<PassMessage> & { readonly isAwaited: boolean };

/** One statement: phones fetch passes by the ten thousand, and each question costs a round trip. */
export async function findIssue(context: TenantContext, passId: string): Promise<PassIssue> {
  const { tenantId } = context;
  const [row] = await context.read(sql<Row>`
    select revision, modified_at as "modifiedAt", fingerprint, shows_privileges as "showsPrivileges",
           id, title, content, localized_content as "localizedContent", sent_at as "sentAt", earlier,
           exists (select from apple_delivery
                    where tenant_id = ${tenantId} and pass_id = ${passId} and ${UNFETCHED}
                  ) as "isAwaited"
      from (select) as one
      left join apple_pass as state
        on state.tenant_id = ${tenantId} and state.pass_id = ${passId}
      left join pass_message as message
        on message.tenant_id = ${tenantId} and message.pass_id = ${passId}
  `);
  if (row === undefined) return { state: undefined, message: undefined, isAwaited: false };
  return { state: stateIn(row), message: messageIn(row), isAwaited: row.isAwaited };
}

function stateIn(row: Row): IssuedState | undefined {
  const { revision, modifiedAt, fingerprint, showsPrivileges } = row;
  if (revision === null || modifiedAt === null || showsPrivileges === null) return undefined;
  return { revision, modifiedAt, fingerprint, showsPrivileges };
}

function messageIn(row: Row): PassMessage | undefined {
  const { id, title, content, localizedContent, sentAt, earlier } = row;
  if (id === null || localizedContent === null || sentAt === null || earlier === null) {
    return undefined;
  }
  return { id, title, content, localizedContent, sentAt, earlier };
}
