import type { TenantContext } from "#kernel/context.ts";
import { RecentMap } from "#kernel/recent-map.ts";
import { FITTING_VERSION, type FittedImage, fitImage } from "./image.fit.ts";
import {
  type FittedImageKey,
  findFittedImage,
  updateUse,
  upsertFittedImage,
} from "./image.repository.ts";
import { type ImageScale, slotKey, type WalletSlot } from "./image.slots.ts";

/** At most 25 MiB: 100 images of 256 KiB. */
const KEPT_MAX = 100;
const KEPT_BYTES_MAX = 256 * 1024;
const USE_NOTED_EVERY_MS = 24 * 60 * 60 * 1_000;

const kept = new RecentMap<FittedImage>(KEPT_MAX);
const underWay = new Map<string, Promise<FittedImage>>();

/**
 * Returns the image of a tenant for a slot: from memory, from the database, or made from its
 * source. `sourceHash` is the SHA-256 of what `read` returns, in hexadecimal. `read` is called only
 * if the image must be made.
 */
export async function fittedImage(
  context: TenantContext,
  sourceHash: string,
  read: () => Promise<Buffer>,
  slot: WalletSlot,
  scale: ImageScale,
): Promise<FittedImage> {
  const key: FittedImageKey = {
    sourceHash: Buffer.from(sourceHash, "hex"),
    slot: `${FITTING_VERSION}-${slotKey(slot)}`,
    scale,
  };
  // Tenants never share images, even if two tenants have the same source.
  const name = `${context.tenantId}/${sourceHash}/${key.slot}/${scale}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const coming = underWay.get(name);
  if (coming !== undefined) return await coming;
  const making = findOrMake(context, key, async () => fitImage(await read(), slot, scale));
  underWay.set(name, making);
  try {
    const image = await making;
    if (image.bytes.length <= KEPT_BYTES_MAX) kept.set(name, image);
    return image;
  } finally {
    underWay.delete(name);
  }
}

async function findOrMake(
  context: TenantContext,
  key: FittedImageKey,
  make: () => Promise<FittedImage>,
): Promise<FittedImage> {
  const found = await findFittedImage(context, key);
  if (found === undefined) {
    const image = await make();
    await context.transaction((tx) => upsertFittedImage(tx, key, image));
    return image;
  }
  const { usedAt, ...image } = found;
  if (context.clock.now().getTime() - usedAt.getTime() > USE_NOTED_EVERY_MS) {
    await context.transaction((tx) => updateUse(tx, key));
  }
  return image;
}
