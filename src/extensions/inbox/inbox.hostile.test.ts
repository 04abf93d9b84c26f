import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import {
  customerText,
  openSigningVendors,
  SIGNING_VENDORS,
} from "#test/support/signing-vendors.ts";
import { shareApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const KIB = 1024;

describe("what vendors send and should not", () => {
  const api = shareApi();

  it("200: a body that cannot be read fails alone, and the next one is done", async () => {
    const { send, deliveries, names } = await openSigningVendors(api(), "odd");
    for (const vendor of SIGNING_VENDORS) {
      const text = (more: string) => customerText(vendor, "1", more);
      const odd: Record<string, string | Buffer> = {
        "half of it": text("").slice(0, -3),
        deep: text(`"deep":${"[".repeat(50_000)}${"]".repeat(50_000)}`),
        "deep objects": text(`"deep":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`),
        "too many values": text(`"many":[${"1,".repeat(70_000)}1]`),
        "Latin-1": Buffer.from(text('"name":"Zoë canary"'), "latin1"),
        "UTF-16": Buffer.from(text('"name":"Zoë canary"'), "utf16le"),
        compressed: gzipSync(text('"name":"canary"')),
        nothing: "",
        markup: "<html>canary</html>",
      };
      for (const [what, body] of Object.entries(odd)) {
        const { status, text: said } = await send(vendor, body);
        assert.deepEqual([status, said], [200, ""], `${vendor}: ${what}`);
      }
      const rows = (await deliveries()).filter(({ connector }) => connector === vendor);
      assert.deepEqual([...new Set(rows.map(({ status }) => status))], ["failed"]);
      assert.equal(rows.length, Object.keys(odd).length);
      assert.ok(!rows.some(({ problem }) => String(problem).includes("canary")));
      assert.equal((await send(vendor, text(`"name":"Good ${vendor}"`))).status, 200);
    }
    await until(async () => (await names()).length === 3, "the good ones are done");
    const good = SIGNING_VENDORS.map((vendor) => `Good ${vendor}`);
    assert.deepEqual(await names(), good.toSorted());
    assert.ok(!api().logLines.some((line) => line.includes("canary")));
  });

  it("200: what can be read is read as it stands, and stored without harm", async () => {
    const { send, names, deliveries } = await openSigningVendors(api(), "fine");
    for (const vendor of SIGNING_VENDORS) {
      const bodies = [
        // The last of two counts, as it does at the vendors.
        customerText(vendor, "1", `"name":"First","name":"Last ${vendor}"`),
        customerText(vendor, "2", '"name":"N\\u0000ul \\ud800"'),
        customerText(vendor, "3", '"__proto__":{"name":"Evil"},"constructor":{"name":"Evil"}'),
        customerText(vendor, "4", `"name":${"9".repeat(400)}`),
        customerText(vendor, "5", `"name":"${"long ".repeat(20_000)}"`),
      ];
      for (const body of bodies) assert.equal((await send(vendor, body)).status, 200);
      const type = { "content-type": "application/json; charset=iso-8859-1" };
      await send(vendor, customerText(vendor, "6", `"name":"Zoë ${vendor}"`), type);
    }
    await until(async () => {
      return (await deliveries()).every(({ status }) => status !== "waiting");
    }, "all are settled");
    const all = await names();
    for (const vendor of SIGNING_VENDORS) {
      for (const name of ["Last", "Zoë"]) assert.ok(all.includes(`${name} ${vendor}`), `${all}`);
    }
    assert.ok(!all.some((name) => String(name).includes("Evil")));
    assert.equal(({} as { name?: string }).name, undefined);
  });

  it("413: a body larger than the vendor sends, and nothing is stored", async () => {
    const { send, deliveries } = await openSigningVendors(api(), "large");
    for (const vendor of SIGNING_VENDORS) {
      const limit = vendor === "shopify" ? 1024 * KIB : 256 * KIB;
      const padded = (bytes: number) => customerText(vendor, "1", `"note":"${"x".repeat(bytes)}"`);
      const { status, text } = await send(vendor, padded(limit));
      assert.equal(status, 413);
      assert.ok(!text.includes("xxx"));
      const stored = async () =>
        (await deliveries()).filter(({ connector }) => connector === vendor).length;
      assert.equal(await stored(), 0);
      assert.equal((await send(vendor, padded(limit - KIB))).status, 200);
      assert.equal(await stored(), 1);
    }
  });
});
