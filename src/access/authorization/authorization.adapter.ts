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

/** Not essential: if a session cannot be opened, the person signs in again. */
export const sealedRecords: SealedColumn = {
  table: "authorization_record",
  column: "payload",
  key: ["model", "id_hash"],
  purpose: PURPOSE,
  contextOf: ({ model, id_hash: idHash }) => sealedFor(String(model), idHash as Buffer),
  essential: false,
};

const sealedFor = (model: string, idHash: Buffer): string => `${model} ${idHash.toString("hex")}`;

/** Keeps the state of the library in the database, so that any node can serve any request. */
export function createAdapter(
  runtime: Runtime,
  model: string,
  InvalidGrant: typeof errors.InvalidGrant,
  /** The lifetime of an access token. */
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
      // If two requests use the same code or refresh token, the database accepts only one of them.
      if (!(await consumeRecord(runtime, model, hashId(id)))) {
        throw new InvalidGrant(`${model} already used`);
      }
    },
    async destroy(id) {
      const idHash = hashId(id);
      // The end of a grant is recorded while its access tokens may be valid. It is recorded first,
      // so that the tokens end even if the deletion fails.
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
