import type { Adapter, AdapterPayload, errors } from "oidc-provider";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { ENDED_GRANT } from "./authorization.cache.ts";
import {
  consumeRecord,
  deleteRecord,
  deleteRecordsByGrant,
  findRecord,
  hashId,
  type RecordRow,
  upsertRecord,
} from "./authorization.repository.ts";

const PURPOSE = "authorization-record";
const NOTHING = Buffer.from("{}");
const NO_KEYS = { accountId: null, grantHash: null, uidHash: null, userCodeHash: null };

/** Not essential: who holds a session that does not open signs in again. */
export const sealedRecords: SealedColumn = {
  table: "authorization_record",
  column: "payload",
  key: ["model", "id_hash"],
  purpose: PURPOSE,
  contextOf: ({ model, id_hash: idHash }) => sealedFor(String(model), idHash as Buffer),
  essential: false,
};

const sealedFor = (model: string, idHash: Buffer): string => `${model} ${idHash.toString("hex")}`;

/** Everything the authorization server remembers lives in the database: any node can go on. */
export function createAdapter(
  runtime: Runtime,
  model: string,
  InvalidGrant: typeof errors.InvalidGrant,
  /** How long an access token lives. */
  tokenSeconds: number,
): Adapter {
  function open(row: RecordRow | undefined): AdapterPayload | undefined {
    if (row === undefined) return undefined;
    const plain = runtime.sealer.open(PURPOSE, sealedFor(model, row.idHash), row.payload);
    if (plain === undefined) return undefined;
    const payload = JSON.parse(plain.toString("utf8")) as AdapterPayload;
    if (row.consumedAt === null) return payload;
    return { ...payload, consumed: Math.floor(row.consumedAt.getTime() / 1000) };
  }

  function secondsFromNow(seconds: number): Date {
    return new Date(runtime.clock.now().getTime() + seconds * 1000);
  }

  return {
    async upsert(id, payload, expiresIn) {
      const idHash = hashId(id);
      const plain = Buffer.from(JSON.stringify(payload));
      await upsertRecord(
        runtime,
        model,
        idHash,
        runtime.sealer.seal(PURPOSE, sealedFor(model, idHash), plain),
        {
          accountId: payload.accountId ?? null,
          grantHash: maybeHash(payload.grantId),
          uidHash: maybeHash(payload.uid),
          userCodeHash: maybeHash(payload.userCode),
          expiresAt: expiresIn === undefined ? null : secondsFromNow(expiresIn),
        },
      );
    },
    find: async (id) => open(await findRecord(runtime, model, "id_hash", hashId(id))),
    findByUid: async (uid) => open(await findRecord(runtime, model, "uid_hash", hashId(uid))),
    findByUserCode: async (code) =>
      open(await findRecord(runtime, model, "user_code_hash", hashId(code))),
    async consume(id) {
      // Two requests with one code or one refresh token: the database lets only one of them through.
      if (!(await consumeRecord(runtime, model, hashId(id)))) {
        throw new InvalidGrant(`${model} already used`);
      }
    },
    async destroy(id) {
      const idHash = hashId(id);
      // Kept while tokens made from it may live, and first: should the next step fail, they have ended.
      if (model === "Grant") {
        const payload = runtime.sealer.seal(PURPOSE, sealedFor(ENDED_GRANT, idHash), NOTHING);
        const expiresAt = secondsFromNow(tokenSeconds);
        await upsertRecord(runtime, ENDED_GRANT, idHash, payload, { ...NO_KEYS, expiresAt });
      }
      await deleteRecord(runtime, model, idHash);
    },
    revokeByGrantId: (grantId) => deleteRecordsByGrant(runtime, model, hashId(grantId)),
  };
}

function maybeHash(value: string | undefined): Buffer | null {
  return value === undefined ? null : hashId(value);
}
