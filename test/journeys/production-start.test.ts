import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  freePort,
  makeDataDir,
  removeDataDir,
  runProduct,
  startProduct,
} from "#test/support/product.ts";

const PRODUCTION = {
  ENVIRONMENT: "production",
  MASTER_KEY: randomBytes(32).toString("base64"),
  BASE_URL: "https://wallet.example",
  // Empty counts as not set, so the product generates a key.
  OPERATOR_KEY: "",
};

describe("a first start in production", () => {
  it("writes the operator key to its file, for its owner alone, and prints only where that is", async (t) => {
    const dataDir = await makeDataDir();
    t.after(() => removeDataDir(dataDir));
    const product = await startProduct({ env: { ...PRODUCTION, DATA_DIR: dataDir } });
    t.after(() => product.kill("SIGTERM"));

    const file = join(dataDir, "operator.key");
    const key = readFileSync(file, "utf8").trim();
    assert.match(key, /^bf_operator_\w{43}$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(product.output().includes(file), product.output());
    assert.doesNotMatch(product.output(), /bf_operator_/);
    assert.equal((await product.get("/api/tenants", { key })).status, 200);
  });

  it("is refused without BASE_URL, and with one that is not https, on this machine too", async (t) => {
    const dataDir = await makeDataDir();
    t.after(() => removeDataDir(dataDir));
    const PORT = String(await freePort());
    for (const [BASE_URL, reason] of [
      ["", /^ {2}BASE_URL is required in production: .*https/m],
      ["http://wallet.example", /^ {2}BASE_URL must begin with https:\/\/ in production\.$/m],
      [`http://localhost:${PORT}`, /^ {2}BASE_URL must begin with https:\/\/ in production\.$/m],
    ] as const) {
      const env = { ...PRODUCTION, PORT, DATA_DIR: dataDir, BASE_URL };
      const { code, stderr } = await runProduct({ env });
      assert.equal(code, 1);
      assert.match(stderr, reason);
      assert.equal(stderr.trim().split("\n").length, 2, stderr);
    }
  });
});
