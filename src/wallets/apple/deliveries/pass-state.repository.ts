import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

/** What devices know of a pass: which content was issued last, and when it changed. */
export type PassState = {
  readonly revision: number;
  /**
   * A whole second, or half a second more if another content was issued in the same second. Devices know whole
   * seconds alone, so what any of them says of that second is then too early.
   */
  readonly modifiedAt: Date;
  /** Null if no content was issued. */
  readonly fingerprint: string | null;
  /** Whether different contents were issued, so that a device may hold an old one. */
  readonly hasVaried: boolean;
  /** False for a pass that no device was registered for yet. */
  readonly hasTag: boolean;
  /** True as long as nothing is known of the content. */
  readonly showsPrivileges: boolean;
};

const stateColumns = sql<PassState>`
  revision, modified_at as "modifiedAt", fingerprint, has_varied as "hasVaried",
  tag > 0 as "hasTag", shows_privileges as "showsPrivileges"
`;

/** What was issued last. */
export type IssuedState = Pick<
  PassState,
  "revision" | "modifiedAt" | "fingerprint" | "showsPrivileges"
>;

type Followed = { readonly id: string; readonly passType: string };

/** The state of a pass that devices follow from now on. `second` is the present whole second. */
export async function ensureState(
  tx: TenantTx,
  { id, passType }: Followed,
  second: Date,
): Promise<PassState> {
  tx.defer(sql`
    insert into apple_pass (tenant_id, pass_id, pass_type, revision, tag, modified_at)
    values (${tx.tenantId}, ${id}, ${passType}, 1, 0, ${second})
        on conflict do nothing
  `);
  return await tx.one(sql<PassState>`
    select ${stateColumns} from apple_pass where tenant_id = ${tx.tenantId} and pass_id = ${id}
  `);
}

export type IssuedContent = {
  readonly fingerprint: string;
  /** Whether the template of the content reads privileges. */
  readonly showsPrivileges: boolean;
};

/** Notes which content was issued last. Undefined if the pass has no state yet. */
export async function updateContent(
  tx: TenantTx,
  { id }: Followed,
  issued: IssuedContent,
  second: Date,
): Promise<Date | undefined> {
  const updated = await tx.maybeOne(sql<{ modifiedAt: Date }>`
    update apple_pass as state
       set ${contentChange(issued, second)}
     where tenant_id = ${tx.tenantId} and pass_id = ${id}
    returning modified_at as "modifiedAt"
  `);
  return updated?.modifiedAt;
}

/**
 * The time of modification is never ahead of the clock. The first content of a second gets that second. Another
 * content of the same second gets half a second more. Devices name whole seconds, so whichever of the two a device
 * has, it is given the pass once more. If that is in a later second, the content gets that second.
 */
function contentChange({ fingerprint, showsPrivileges }: IssuedContent, second: Date): Sql {
  const between = sql`date_trunc('second', state.modified_at) + interval '0.5 second'`;
  return sql`
    fingerprint = ${fingerprint}, shows_privileges = ${showsPrivileges},
    has_varied = state.has_varied or state.fingerprint <> ${fingerprint} is true,
    modified_at = case when state.fingerprint = ${fingerprint}
                        and state.modified_at = date_trunc('second', state.modified_at)
                       then state.modified_at
                       when ${second}::timestamptz > state.modified_at then ${second}::timestamptz
                       when state.fingerprint is null then state.modified_at
                       else ${between} end
  `;
}

/** True if it is time to give the content a second of its own. */
export function needsSecond({ modifiedAt }: IssuedState, second: Date): boolean {
  return modifiedAt.getMilliseconds() !== 0 && second > modifiedAt;
}

/** The same for a pass without a state. The pass must be locked: one that is erased has none. */
export async function noteContent(
  tx: TenantTx,
  { id, passType }: Followed,
  issued: IssuedContent,
  second: Date,
): Promise<Date> {
  const { fingerprint, showsPrivileges } = issued;
  const { modifiedAt } = await tx.one(sql<{ modifiedAt: Date }>`
    insert into apple_pass as state (tenant_id, pass_id, pass_type, revision, tag, modified_at,
                                     fingerprint, shows_privileges)
    values (${tx.tenantId}, ${id}, ${passType}, 1, 0, ${second}, ${fingerprint}, ${showsPrivileges})
        on conflict (tenant_id, pass_id) do update
           set ${contentChange(issued, second)}
    returning modified_at as "modifiedAt"
  `);
  return modifiedAt;
}
