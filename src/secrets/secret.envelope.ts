import { randomBytes } from "node:crypto";
import { decrypt, encrypt, KEY_BYTES } from "#kernel/crypto/aes-gcm.ts";
import type { Sealer } from "#kernel/crypto/sealer.ts";

const FORMAT = 1;

export const DATA_KEY_PURPOSE = "data-key";

/** Where a value belongs. Ciphertext that is moved to another place does not open there. */
export type SecretPlace = {
  readonly tenantId: string;
  readonly key: string;
  readonly dataKeyId: string;
};

/** A data key is bound to its tenant and id, as the values under it are. */
export function dataKeyPlace(tenantId: string, dataKeyId: string): string {
  return `${tenantId}|${dataKeyId}`;
}

/** A new key for the values of one tenant; wrapped is the only form in which it exists. */
export function makeDataKey(sealer: Sealer, tenantId: string, dataKeyId: string): Buffer {
  const dataKey = randomBytes(KEY_BYTES);
  const wrapped = sealer.seal(DATA_KEY_PURPOSE, dataKeyPlace(tenantId, dataKeyId), dataKey);
  dataKey.fill(0);
  return wrapped;
}

/**
 * `format | nonce | ciphertext | tag`, or undefined where the data key does not open. The key is
 * unwrapped for each use and forgotten after it: that costs 40 µs, less than the question to the
 * database before it, and what no memory keeps need not be found when a key is destroyed.
 */
export function sealValue(
  sealer: Sealer,
  wrapped: Buffer,
  place: SecretPlace,
  value: string,
): Buffer | undefined {
  return withDataKey(sealer, wrapped, place, (dataKey) => {
    const plain = Buffer.from(value);
    const sealed = encrypt(dataKey, bind(place), plain);
    plain.fill(0);
    return Buffer.concat([Buffer.of(FORMAT), sealed]);
  });
}

/** Undefined when the value or its data key was changed, moved or sealed with an unknown key. */
export function openValue(
  sealer: Sealer,
  wrapped: Buffer,
  place: SecretPlace,
  sealed: Buffer,
): string | undefined {
  if (sealed[0] !== FORMAT) return undefined;
  return withDataKey(sealer, wrapped, place, (dataKey) => {
    const plain = decrypt(dataKey, bind(place), sealed.subarray(1));
    const value = plain?.toString();
    plain?.fill(0);
    return value;
  });
}

function withDataKey<Result>(
  sealer: Sealer,
  wrapped: Buffer,
  { tenantId, dataKeyId }: SecretPlace,
  use: (dataKey: Buffer) => Result,
): Result | undefined {
  const dataKey = sealer.open(DATA_KEY_PURPOSE, dataKeyPlace(tenantId, dataKeyId), wrapped);
  if (dataKey === undefined) return undefined;
  try {
    return use(dataKey);
  } finally {
    dataKey.fill(0);
  }
}

/** None of the parts can hold a `|`: no two places are bound alike. */
function bind({ tenantId, key, dataKeyId }: SecretPlace): Buffer {
  return Buffer.from(`${tenantId}|secret|${key}|${dataKeyId}`);
}
