import type { TenantContext } from "#kernel/context.ts";
import type { Sealer } from "#kernel/crypto/sealer.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { newId } from "#kernel/ids.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { holdsIdentifiers } from "#src/customers/public.ts";
import { listHolders } from "#src/passes/public.ts";
import type { Connection, Connector } from "../kit/connector.ts";
import type { SendingProblem } from "../kit/outbound.ts";
import * as erasures from "./erasure.repository.ts";
import { retryAt } from "./feed.backoff.ts";

const AT_ONCE = 20;
const STILL_KNOWN = "An erased customer is still known to the vendor.";
const UNOPENED: SendingProblem = {
  problem: "Who it is was sealed with a master key that is not known any more.",
};

type Person = Readonly<Record<string, string>>;

/** Whoever is erased is told of inside a transaction, which knows its database and nothing else. */
const sealers = new WeakMap<object, Sealer>();

export function rememberSealer({ db, sealer }: Runtime): void {
  sealers.set(db, sealer);
}

/**
 * Writes down whom the vendor must erase, in the transaction that erases them here. Sealed: it is the
 * last trace of them, and may stay for as long as the vendor is away. A keyed hash would not do, because
 * the vendor must be told the identifiers themselves.
 */
export function requestErasures(
  tx: TenantTx,
  { name }: Connector,
  people: readonly Person[],
): void {
  const sealer = sealers.get(tx.database);
  if (sealer === undefined) throw new Error("The extensions of this process have not started.");
  const texts = [...new Set(people.map((person) => JSON.stringify(person)))];
  const sealed = texts.map((text) => {
    const id = newId("ers", tx.now.getTime());
    const place = erasures.personPlace(tx.tenantId, name, id);
    return { id, sealed: sealer.seal(erasures.PERSON_PURPOSE, place, Buffer.from(text)) };
  });
  erasures.insertErasures(tx, name, sealed);
}

/** Tells the vendor whom to erase. Returns what stands in the way, in a sentence; one try each. */
export async function tellErasures(
  context: TenantContext,
  connector: Connector,
  connection: Connection,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { name, outbound } = connector;
  if (outbound?.erase === undefined) return undefined;
  const due = await erasures.listDueErasures(context, name, AT_ONCE);
  const isWaiting = due.length === 0 && (await erasures.hasFailedErasures(context, name));
  let standing = isWaiting ? `${STILL_KNOWN} It is told again.` : undefined;
  for (const erasure of due) {
    if (signal.aborted) return standing;
    const problem = await tellErasure(context, connector, connection, erasure, signal);
    await context.transaction(async (tx) => {
      if (problem === undefined) return erasures.deleteErasure(tx, name, erasure.id);
      const { retryAfter } = problem;
      const failure = { attempts: erasure.attempts + 1, now: tx.now, random: Math.random() };
      erasures.postponeErasure(tx, name, erasure.id, retryAt({ ...failure, retryAfter }));
    });
    if (problem !== undefined) {
      standing = `${STILL_KNOWN} ${problem.problem}`;
    }
  }
  return standing;
}

async function tellErasure(
  context: TenantContext,
  { name, outbound }: Connector,
  connection: Connection,
  erasure: erasures.Erasure,
  signal: AbortSignal,
): Promise<SendingProblem | undefined> {
  const person = openPerson(context, name, erasure);
  if (person === undefined) return UNOPENED;
  if (await isStillHere(context, person)) return undefined;
  return await outbound?.erase?.(context, connection, person, signal);
}

function openPerson(
  { runtime, tenantId }: TenantContext,
  connector: string,
  { id, sealed, person }: erasures.Erasure,
): Person | undefined {
  const place = erasures.personPlace(tenantId, connector, id);
  const text =
    sealed === null
      ? person
      : runtime.sealer.open(erasures.PERSON_PURPOSE, place, sealed)?.toString();
  return text ? (JSON.parse(text) as Person) : undefined;
}

/** Another pass, or a customer, has the same identifier: the person has not left. */
async function isStillHere(context: TenantContext, person: Person): Promise<boolean> {
  for (const [name, value] of Object.entries(person)) {
    if ((await listHolders(context, name, value, 1)).length > 0) return true;
  }
  return await holdsIdentifiers(context, person);
}
