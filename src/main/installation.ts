import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { SystemContext } from "#kernel/context.ts";
import { hasOthers, opensSome, type SealedColumn } from "#kernel/crypto/sealed-column.ts";
import { putIfAbsent } from "#kernel/db/installation-fact.ts";
import { sql } from "#kernel/db/sql.ts";
import { randomBase62 } from "#kernel/ids.ts";
import type { Config } from "./config.ts";
import { readOrMakeKey } from "./key-file.ts";

const MASTER_KEY_CHECK = "master-key-check";
const FIRST_START = "first-start";
const OPERATOR_KEY_HASH = "operator-key-hash";

/**
 * The configured keys, or one that is made at the first start and kept beside the data (staging
 * only).
 */
export async function loadMasterKeys(config: Config): Promise<readonly [Buffer, ...Buffer[]]> {
  const [first, ...others] = config.masterKeys;
  if (first !== undefined) return [first, ...others];
  const text = await readOrMakeKey({
    dataDir: config.dataDir,
    name: "master.key",
    shape: /^[A-Za-z0-9+/]{43}=$/,
    make: () => randomBytes(32).toString("base64"),
  });
  return [Buffer.from(text, "base64")];
}

/**
 * A known text sealed with the master key: it reveals a wrong key before anything is written with
 * it.
 */
export const sealedCheck: SealedColumn = {
  table: "installation",
  column: "value",
  key: ["name"],
  where: sql`name = ${MASTER_KEY_CHECK}`,
  purpose: MASTER_KEY_CHECK,
  contextOf: () => "installation",
  essential: true,
};

/** Throws if the keys cannot open what is stored, or only a part of it. */
export async function checkMasterKey(
  call: SystemContext,
  columns: readonly SealedColumn[],
): Promise<void> {
  const { sealer } = call.runtime;
  const fresh = sealer.seal(MASTER_KEY_CHECK, "installation", Buffer.from("billfold"));
  await putIfAbsent(call, MASTER_KEY_CHECK, fresh);
  for (const column of columns.filter(({ essential }) => essential)) {
    const isForeign = await hasOthers(call, column, sealer.knownMarks);
    if (!isForeign && (await opensSome(call, column))) continue;
    throw new Error(
      "MASTER_KEY does not open this database: " +
        `it does not fit what was sealed in ${column.table}. ` +
        "Set the right key, or the former one as MASTER_KEY_PREVIOUS.",
    );
  }
}

export type OperatorKey = {
  readonly hash: Buffer;
  /** Undefined if the key was configured or made by another node: its owner knows it. */
  readonly text: string | undefined;
};

/**
 * The operator's key: configured, or made once. Nodes without the setting use the hash in the
 * database; the key itself is kept under the data directory for the person at the machine.
 */
export async function loadOperatorKey(call: SystemContext, config: Config): Promise<OperatorKey> {
  if (config.operatorKey !== undefined)
    return { hash: sha256(config.operatorKey), text: undefined };
  const made = await readOrMakeKey({
    dataDir: config.dataDir,
    name: "operator.key",
    shape: /^bf_operator_\w{43}$/,
    make: () => `bf_operator_${randomBase62(43)}`,
  });
  const hash = sha256(made);
  const { value: stored } = await putIfAbsent(call, OPERATOR_KEY_HASH, hash);
  return { hash: stored, text: timingSafeEqual(stored, hash) ? made : undefined };
}

/** True until a start has printed what only the first start prints. */
export async function isFirstStart(call: SystemContext): Promise<boolean> {
  const rows = await call.read(sql`select from installation where name = ${FIRST_START}`);
  return rows.length === 0;
}

export async function endFirstStart(call: SystemContext): Promise<void> {
  await putIfAbsent(call, FIRST_START, Buffer.from(call.clock.now().toISOString()));
}

export function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
