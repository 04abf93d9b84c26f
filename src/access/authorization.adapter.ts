import type { Adapter, AdapterPayload, errors } from "oidc-provider";
import type { SealedColumn } from "#kernel/crypto/sealed-column.ts";
import type { Runtime } from "#kernel/runtime.ts";
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
): Adapter {
  function open(row: RecordRow | undefined): AdapterPayload | undefined {
    if (row === undefined) return undefined;
    const plain = runtime.sealer.open(PURPOSE, sealedFor(model, row.idHash), row.payload);
    if (plain === undefined) return undefined;
    const payload = JSON.parse(plain.toString("utf8")) as AdapterPayload;
    if (row.consumedAt === null) return payload;
    return { ...payload, consumed: Math.floor(row.consumedAt.getTime() / 1000) };
  }

  return {
    async upsert(id, payload, expiresIn) {
      const idHash = hashId(id);
      const plain = Buffer.from(JSON.stringify(payload));
      const now = runtime.clock.now().getTime();
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
          expiresAt: expiresIn === undefined ? null : new Date(now + expiresIn * 1000),
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
    destroy: (id) => deleteRecord(runtime, model, hashId(id)),
    revokeByGrantId: (grantId) => deleteRecordsByGrant(runtime, model, hashId(grantId)),
  };
}

function maybeHash(value: string | undefined): Buffer | null {
  return value === undefined ? null : hashId(value);
}
