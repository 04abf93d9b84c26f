import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PRODUCT_OPERATOR_KEY } from "#test/support/product.ts";
import { residentMibOf } from "#test/support/resident-memory.ts";
import { shareProduct } from "#test/support/share-product.ts";

const key = PRODUCT_OPERATOR_KEY;
const MIB = 1024 * 1024;
const FILE_MIB = 160;
const GROWTH_MIB_MAX = 80;
const PIECE = Buffer.alloc(MIB, "loyalty;40012345;Ana\n");

describe("a file of 160 MB over HTTP", () => {
  const product = shareProduct({ ROLES: "api" });
  const path = "/api/acme/admin/imports";

  before(async () => {
    const files = { "tenant.yml": "name: Acme\n" };
    await product().put("/api/tenants/acme", { key, body: { files } });
  });

  /** Sends as fast as the server reads. */
  async function upload(sizeMib: number, isWhole: boolean): Promise<number | string> {
    const sending = request(`${product().url}${path}?fileName=large.csv`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "text/csv" },
    });
    const answer = new Promise<number | string>((resolve) => {
      sending.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? "error"));
      sending.on("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
    });
    for (let sent = 0; sent < sizeMib; sent += 1) {
      if (!sending.write(PIECE)) await Promise.race([once(sending, "drain"), answer]);
    }
    if (isWhole) sending.end();
    else sending.destroy();
    return await answer;
  }

  it("202: is stored without taking memory by its size", async (t) => {
    await upload(8, true);
    const before = residentMibOf(product().pid);
    let most = before;
    let isDone = false;
    const watch = (async () => {
      while (!isDone) {
        most = Math.max(most, residentMibOf(product().pid));
        await sleep(50);
      }
    })();
    assert.equal(await upload(FILE_MIB, true), 202);
    isDone = true;
    await watch;
    t.diagnostic(`${Math.round(most - before)} MiB more memory`);
    assert.ok(most - before < GROWTH_MIB_MAX, `${most - before} MiB more`);
    const { body } = await product().get(path, { key });
    assert.deepEqual([body[0].status, body[0].size], ["pending", FILE_MIB * MIB]);
  });

  it("leaves nothing that is imported when it is cut off", async () => {
    const count = async () => (await product().get(`${path}?pageSize=100`, { key })).body.length;
    const known = await count();
    assert.notEqual(await upload(32, false), 202);
    while ((await count()) > known) await sleep(20);
    assert.equal(await count(), known);
  });
});
