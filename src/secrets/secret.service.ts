import type { TenantContext } from "#kernel/context.ts";
import type { Sealer } from "#kernel/crypto/sealer.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { validationProblem } from "#kernel/errors.ts";
import { newId } from "#kernel/ids.ts";
import type { SecretReader } from "#src/files/public.ts";
import { makeDataKey, openValue, sealValue } from "./secret.envelope.ts";
import { secretNotFound, secretUnreadable } from "./secret.errors.ts";
import * as secrets from "./secret.repository.ts";
import { type Secret, VALUE_BYTES_MAX, versionOf } from "./secret.schema.ts";

/** Tells every process that secrets of a tenant have changed. The payload is the tenant. */
export const SECRET_SIGNAL = "secret";

/**
 * A data key is used for new values for so many days. Even with a thousand values per second it
 * stays below the 2^32 values for which random nonces are safe.
 */
const DATA_KEY_DAYS = 30;
const DAY_MS = 86_400_000;

/** For callers that may see the value. Each read is audited. */
export function getSecret(
  context: TenantContext,
  key: string,
): Promise<{ secret: Secret; value: string }> {
  return context.transaction(async (tx) => {
    const secret = await secrets.findSecret(tx, key);
    if (secret === undefined) throw secretNotFound({ key });
    const value = openOrRefuse(context, secret);
    tx.audit({ target: targetOf(key) });
    return { secret, value };
  });
}

export function storeSecret(
  context: TenantContext,
  key: string,
  value: string,
): Promise<{ secret: Secret; isNew: boolean }> {
  return context.transaction(async (tx) => {
    const known = await secrets.findSecretForUpdate(tx, key);
    context.requireMatch(known === undefined ? undefined : versionOf(known));
    const secret = await putSecret(tx, context.runtime.sealer, key, value);
    // Another call stored the same new key meanwhile: it is there now, also for the conditions.
    if (known === undefined && secret.version > 1) context.requireMatch(versionOf(secret));
    return { secret, isNew: secret.version === 1 };
  });
}

export function deleteSecret(context: TenantContext, key: string): Promise<void> {
  return context.transaction(async (tx) => {
    const secret = await secrets.findSecretForUpdate(tx, key);
    if (secret === undefined) throw secretNotFound({ key });
    context.requireMatch(versionOf(secret));
    await secrets.deleteSecret(tx, key);
    tx.signal(SECRET_SIGNAL, tx.tenantId);
    tx.audit({ target: targetOf(key) });
  });
}

/** For other modules that store a secret in their own transaction. */
export async function putSecret(
  tx: TenantTx,
  sealer: Sealer,
  key: string,
  value: string,
): Promise<Secret> {
  const secret = await writeSecret(tx, sealer, key, value);
  tx.audit({ target: targetOf(key) });
  return secret;
}

/**
 * Not audited: for modules that store several secrets as one thing, which has an audit row of its
 * own.
 */
export async function writeSecret(
  tx: TenantTx,
  sealer: Sealer,
  key: string,
  value: string,
): Promise<Secret> {
  requireStorable(value);
  const { dataKey, sealed } = await sealUnderDataKey(tx, sealer, key, value);
  const id = newId("sec", tx.now.getTime());
  const secret = await secrets.upsertSecret(tx, { id, key, dataKeyId: dataKey.id, sealed });
  tx.signal(SECRET_SIGNAL, tx.tenantId);
  return secret;
}

/** Not audited, as `writeSecret`. Does nothing if there is no such secret. */
export async function removeSecret(tx: TenantTx, key: string): Promise<void> {
  await secrets.deleteSecret(tx, key);
  tx.signal(SECRET_SIGNAL, tx.tenantId);
}

/** Not audited, because only the product reads the value. Undefined if there is no such secret. */
export async function readSecret(context: TenantContext, key: string): Promise<string | undefined> {
  const secret = await secrets.findSecret(context, key);
  return secret === undefined ? undefined : openOrRefuse(context, secret);
}

/** Reads in a transaction, and keeps others from changing the secret until its end. */
export async function readSecretForUpdate(
  context: TenantContext,
  tx: TenantTx,
  key: string,
): Promise<string | undefined> {
  await secrets.findSecretForUpdate(tx, key);
  const secret = await secrets.findSecret(tx, key);
  return secret === undefined ? undefined : openOrRefuse(context, secret);
}

/** Lets other modules read secrets of one tenant without the rest of the context. */
export function createSecretReader(context: TenantContext): SecretReader {
  return { read: (key) => readSecret(context, key) };
}

/**
 * Destroys the data keys of the tenant. A copy of a sealed secret then cannot be opened, unless its
 * data key was copied too.
 */
export async function shredTenantKeys(tx: TenantTx): Promise<void> {
  await secrets.deleteDataKeys(tx);
}

function openOrRefuse(context: TenantContext, secret: secrets.SealedSecret): string {
  const { id, key, dataKeyId, wrapped, sealed } = secret;
  const place = { tenantId: context.tenantId, key, dataKeyId };
  const value = openValue(context.runtime.sealer, wrapped, place, sealed);
  if (value !== undefined) return value;
  const facts = { tenantId: context.tenantId, secretId: id, dataKeyId, op: context.op };
  context.log.error(facts, "a stored secret or its data key was changed and does not open");
  throw secretUnreadable({ key });
}

/** A data key that cannot be opened is skipped, so that new values can still be stored. */
async function sealUnderDataKey(
  tx: TenantTx,
  sealer: Sealer,
  key: string,
  value: string,
): Promise<{ dataKey: secrets.DataKey; sealed: Buffer }> {
  const { tenantId } = tx;
  const madeAfter = new Date(tx.now.getTime() - DATA_KEY_DAYS * DAY_MS);
  for (const dataKey of await secrets.listDataKeys(tx, madeAfter)) {
    const sealed = sealValue(
      sealer,
      dataKey.wrapped,
      { tenantId, key, dataKeyId: dataKey.id },
      value,
    );
    if (sealed !== undefined) return { dataKey, sealed };
  }
  const id = newId("sdk", tx.now.getTime());
  const dataKey = { id, wrapped: makeDataKey(sealer, tenantId, id) };
  await secrets.insertDataKey(tx, dataKey);
  const sealed = sealValue(sealer, dataKey.wrapped, { tenantId, key, dataKeyId: id }, value);
  if (sealed === undefined) throw new Error("A new data key does not open.");
  return { dataKey, sealed };
}

function requireStorable(value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes === 0 || bytes > VALUE_BYTES_MAX) {
    throw validationProblem({ value: ["must be 1 byte to 64 KiB in UTF-8"] });
  }
  // UTF-8 cannot encode half of a surrogate pair, so the value would be read as another text.
  if (!value.isWellFormed()) {
    throw validationProblem({ value: ["must not contain half of a surrogate pair"] });
  }
}

function targetOf(key: string): string {
  return `secret:${key}`;
}
