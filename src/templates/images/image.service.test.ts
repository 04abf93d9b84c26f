import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import sharp from "sharp";
import { systemCall } from "#kernel/call.ts";
import { googleImages } from "#src/wallets/google/google.images.ts";
import { shareApi } from "#test/support/start-api.ts";
import { purgeFittedImages } from "./image.jobs.ts";
import { fittedImage } from "./image.service.ts";

const api = shareApi();

async function source(background: string) {
  const bytes = await sharp({ create: { width: 300, height: 300, channels: 3, background } })
    .png()
    .toBuffer();
  let reads = 0;
  return {
    hash: createHash("sha256").update(bytes).digest("hex"),
    reads: () => reads,
    read: async () => {
      reads += 1;
      return bytes;
    },
  };
}

function slot(matte?: string) {
  const found = googleImages.slot("loyalty", "logo", matte);
  assert.ok(found);
  return found;
}

describe("fitted images", () => {
  it("are made once, however many ask at the same moment", async () => {
    await api().seed.tenant("acme");
    const context = systemCall(api().runtime, "test").forTenant("acme");
    const { hash, read, reads } = await source("#102030");

    const all = await Promise.all(
      Array.from({ length: 5 }, () => fittedImage(context, hash, read, slot(), 1)),
    );

    assert.equal(reads(), 1);
    assert.equal(new Set(all.map(({ bytes }) => bytes)).size, 1);
    const rows = await api().sql("select width, height, scale from fitted_image");
    assert.deepEqual(rows, [{ width: 660, height: 660, scale: 1 }]);
  });

  it("are each tenant's own, and each colour's", async () => {
    await api().seed.tenant("acme");
    await api().seed.tenant("rival");
    const { hash, read, reads } = await source("#203040");
    const call = systemCall(api().runtime, "test");

    await fittedImage(call.forTenant("acme"), hash, read, slot(), 1);
    await fittedImage(call.forTenant("rival"), hash, read, slot(), 1);
    await fittedImage(call.forTenant("rival"), hash, read, slot("#ffffff"), 1);

    assert.equal(reads(), 3);
  });

  it("come from the database where memory does not have them", async () => {
    await api().seed.tenant("acme");
    const context = systemCall(api().runtime, "test").forTenant("acme");
    const { hash, read, reads } = await source("#304050");
    const made = await fittedImage(context, hash, read, slot(), 1);
    // Requests enough other images to push this image out of memory.
    for (let at = 0; at < 110; at += 1) {
      const matte = `#0000${at.toString(16).padStart(2, "0")}`;
      await api().sql(
        `insert into fitted_image select tenant_id, source_hash, $1, scale, width, height, content, used_at
           from fitted_image where source_hash = $2 and slot not like '%#%'`,
        [`1-logo-660x660-circle${matte}`, Buffer.from(hash, "hex")],
      );
      await fittedImage(context, hash, read, slot(matte), 1);
    }

    const found = await fittedImage(context, hash, read, slot(), 1);

    assert.equal(reads(), 1);
    assert.notEqual(found, made);
    assert.ok(found.bytes.equals(made.bytes));
  });

  it("go when nobody asked for them in a month, and those in use stay", async () => {
    await api().seed.tenant("acme");
    const call = systemCall(api().runtime, "test");
    const old = await source("#405060");
    const current = await source("#506070");
    await fittedImage(call.forTenant("acme"), old.hash, old.read, slot(), 1);
    await fittedImage(call.forTenant("acme"), current.hash, current.read, slot(), 1);
    await api().sql(
      `update fitted_image set used_at = now() - interval '31 days' where source_hash = $1`,
      [Buffer.from(old.hash, "hex")],
    );

    await purgeFittedImages.run(call, {}, new AbortController().signal);

    const rows = await api().sql(
      `select encode(source_hash, 'hex') as hash from fitted_image where source_hash = any ($1)`,
      [[Buffer.from(old.hash, "hex"), Buffer.from(current.hash, "hex")]],
    );
    assert.deepEqual(rows, [{ hash: current.hash }]);
  });

  it("go with their tenant", async () => {
    await api().seed.tenant("gone");
    const { hash, read } = await source("#607080");
    await fittedImage(systemCall(api().runtime, "test").forTenant("gone"), hash, read, slot(), 1);

    await api().sql(`delete from tenant where id = 'gone'`);

    assert.deepEqual(await api().sql(`select 1 from fitted_image where tenant_id = 'gone'`), []);
  });
});
