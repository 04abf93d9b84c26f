import { type Sql, sql } from "#kernel/db/sql.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";

type Limit = {
  /** From this failure on, each failure is followed by a delay. */
  readonly free: number;
  /** The first delay; each further failure doubles it. */
  readonly delaySeconds: number;
  readonly delaySecondsMax: number;
};

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** What is counted; `sign-in-throttle.service.ts` says when. */
const LIMITS = {
  /** Guesses of all accounts. Many people may share one address, so it is higher than the next. */
  address: { free: 30, delaySeconds: 10, delaySecondsMax: 15 * MINUTE },
  /** Guesses of one account from one address. */
  "account-address": { free: 5, delaySeconds: 10, delaySecondsMax: 15 * MINUTE },
  /** Guesses of one account on one day from all addresses. */
  "account-day": { free: 2_000, delaySeconds: 10, delaySecondsMax: 15 * MINUTE },
  /** Guesses of one account from one network, on a day on which many networks guess it. */
  "account-network": { free: 2, delaySeconds: HOUR, delaySecondsMax: 24 * HOUR },
  /** Guesses of one account by one browser that it knows. */
  browser: { free: 5, delaySeconds: 10, delaySecondsMax: 24 * HOUR },
} as const satisfies Record<string, Limit>;

/** Not the current time, which is in the future for a transaction that began earlier. */
const NEVER = sql.raw("'-infinity'::timestamptz");

/** After so many hours without a failure, the earlier failures no longer count. */
const MEMORY_HOURS = 24;

export type Subject = { readonly kind: keyof typeof LIMITS; readonly value: string };

export type Attempt = {
  readonly kind: "attempt";
  readonly subject: Subject;
  /** Those before it that still count, and this one. */
  readonly failures: number;
  /** The end of the wait that this attempt began; null if it began none. */
  readonly waitUntil: Date | null;
};

export type Wait = { readonly kind: "wait"; readonly seconds: number };

/**
 * Counts the attempt as a failure before the password is checked, so that guesses sent in parallel
 * are all counted; a success undoes it. An attempt during the wait is not counted, so that the wait
 * always ends.
 */
export async function takeAttempt(tx: TenantTx, subject: Subject): Promise<Attempt | Wait> {
  const key = keyOf(subject);
  const { free, delaySeconds, delaySecondsMax } = LIMITS[subject.kind];
  const counted = await tx.maybeOne(sql<{ failures: number; waitUntil: Date | null }>`
    insert into sign_in_attempt as attempt (subject, failures, last_at, blocked_until)
    values (${key}, 1, ${tx.now}, ${NEVER})
    on conflict (subject) do update
      set failures = ${failuresAfter(tx.now)},
          last_at = ${tx.now},
          blocked_until = case
            when ${failuresAfter(tx.now)} < ${free}::integer then ${NEVER}
            else ${tx.now}::timestamptz + make_interval(secs => least(
              ${delaySecondsMax}::double precision,
              ${delaySeconds}::double precision
                * 2 ^ least(30, ${failuresAfter(tx.now)} - ${free}::integer)))
            end
      where attempt.blocked_until <= ${tx.now}
    returning failures, nullif(blocked_until, ${NEVER}) as "waitUntil"
  `);
  if (counted !== undefined) return { kind: "attempt", subject, ...counted };
  const row = await tx.maybeOne(sql<{ until: Date }>`
    select blocked_until as until from sign_in_attempt where subject = ${key}
  `);
  const waitMs = (row?.until.getTime() ?? 0) - tx.now.getTime();
  return { kind: "wait", seconds: Math.max(1, Math.ceil(waitMs / 1000)) };
}

function failuresAfter(now: Date) {
  return sql`(case when attempt.last_at < ${now}::timestamptz - make_interval(hours => ${MEMORY_HOURS})
                   then 1 else attempt.failures + 1 end)`;
}

/**
 * For an attempt that was not a wrong guess. Ends the wait that the attempt began, and no other
 * one: wrong guesses beside it may have begun a wait.
 */
export async function undoAttempt(tx: TenantTx, { subject, waitUntil }: Attempt): Promise<void> {
  await tx.run(sql`
    update sign_in_attempt
       set failures = greatest(0, failures - 1),
           blocked_until = case when blocked_until = ${waitUntil}::timestamptz then ${NEVER}
                                else blocked_until end
     where subject = ${keyOf(subject)}
  `);
}

export async function deleteAttempts(tx: TenantTx, subject: Subject): Promise<void> {
  await tx.run(sql`delete from sign_in_attempt where subject = ${keyOf(subject)}`);
}

export function deleteOldAttempts(tx: TenantTx, count: number): Promise<number> {
  return tx.run(sql`
    delete from sign_in_attempt
     where ctid = any (array(
       select ctid
         from sign_in_attempt
        where last_at < ${tx.now}::timestamptz - make_interval(hours => ${MEMORY_HOURS})
          and blocked_until <= ${tx.now}
        order by last_at
        limit ${count}
          for update skip locked))
  `);
}

/**
 * A hash, so that mistyped addresses and passwords are not collected here. The database makes it,
 * because the account is found by `lower` of the database: with other rules for capital letters,
 * one account would be counted under several spellings.
 */
function keyOf({ kind, value }: Subject): Sql {
  return sql`sha256(convert_to(lower(${`${kind} ${value}`}::text), 'UTF8'))`;
}
