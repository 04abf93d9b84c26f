import { Readable } from "node:stream";
import type { TenantContext } from "#kernel/context.ts";
import { listMovementsAfter } from "./movement.repository.ts";
import { requireLedger } from "./movement.service.ts";
import { STATEMENT_HEAD, statementLine } from "./statement.csv.ts";

/** Lines that are read from the database, and held in memory, at once. */
const LINES_MAX = 500;

/** The ledger as CSV, read while it is sent. Movements are never changed, so its lines fit together. */
export async function streamStatement(
  context: TenantContext,
  passId: string,
  privilegeId: string,
): Promise<Readable> {
  await requireLedger(context, passId, privilegeId);
  return Readable.from(pieces(context, passId, privilegeId));
}

async function* pieces(
  context: TenantContext,
  passId: string,
  privilegeId: string,
): AsyncGenerator<string> {
  yield STATEMENT_HEAD;
  for (let after = 0; ; ) {
    const lines = await listMovementsAfter(context, passId, privilegeId, after, LINES_MAX);
    if (lines.length > 0) yield lines.map(statementLine).join("");
    if (lines.length < LINES_MAX) return;
    after = lines.at(-1)?.sequence ?? after;
  }
}
