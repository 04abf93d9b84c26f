import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import { LIST_HOURS_MAX } from "../gate.lifetime.ts";
import * as keys from "./key.repository.ts";

export const SIGNING_ALGORITHM = "ES256";

const DAY_MS = 86_400_000;
/** After so many days another key signs. */
const SIGNING_DAYS = 30;
/** A former key is still shown until the last list that it signed has expired, and a day longer. */
const SHOWN_MS = SIGNING_DAYS * DAY_MS + LIST_HOURS_MAX * 3_600_000 + DAY_MS;

type ImportedKey = Awaited<ReturnType<typeof importJWK>>;

/** A list of a large tenant has thousands of pages, all signed by one key. */
const IMPORTED_MAX = 1_000;
const importedIn = perRuntime(() => new RecentMap<ImportedKey>(IMPORTED_MAX));

export type SigningKey = { readonly id: string; readonly key: ImportedKey };

/** The key that signs now. The first list of a tenant makes one, and the first after a month. */
export async function signingKeyOf(context: TenantContext): Promise<SigningKey> {
  const since = new Date(context.clock.now().getTime() - SIGNING_DAYS * DAY_MS);
  const found = (await keys.findGateKey(context, since)) ?? (await makeKey(context, since));
  const imported = importedIn(context.runtime);
  const name = `${context.tenantId} ${found.id}`;
  const key = imported.get(name) ?? (await importKey(context, found));
  imported.set(name, key);
  return { id: found.id, key };
}

async function importKey(
  { tenantId, runtime }: TenantContext,
  { id, sealed }: keys.GateKey,
): Promise<ImportedKey> {
  const place = keys.keyPlace(tenantId, id);
  const plain = runtime.sealer.open(keys.KEY_PURPOSE, place, sealed);
  if (plain === undefined) throw new Error("MASTER_KEY does not open the key of gate lists.");
  const jwk = JSON.parse(plain.toString("utf8")) as JWK;
  plain.fill(0);
  return await importJWK(jwk, SIGNING_ALGORITHM);
}

/** Empty for a tenant that never had a list, and for one that does not exist. */
export function listPublicKeys(context: TenantContext): Promise<JWK[]> {
  return keys.listPublicKeys(context, new Date(context.clock.now().getTime() - SHOWN_MS));
}

async function makeKey(context: TenantContext, since: Date): Promise<keys.GateKey> {
  const { tenantId, runtime } = context;
  const pair = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const publicKey = await exportJWK(pair.publicKey);
  const id = await calculateJwkThumbprint(publicKey);
  const plain = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)));
  const sealed = runtime.sealer.seal(keys.KEY_PURPOSE, keys.keyPlace(tenantId, id), plain);
  plain.fill(0);
  return await context.transaction(async (tx) => {
    const other = await keys.lockAndFindGateKey(tx, since);
    if (other !== undefined) return other;
    const made = { id, sealed };
    keys.insertGateKey(tx, made, { ...publicKey, kid: id, alg: SIGNING_ALGORITHM, use: "sig" });
    keys.deleteOldGateKeys(tx, new Date(tx.now.getTime() - SHOWN_MS));
    return made;
  });
}
