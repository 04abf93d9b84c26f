import assert from "node:assert/strict";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import {
  PRODUCT_OPERATOR_KEY as key,
  makeDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from "#test/support/product.ts";
import { programIn } from "#test/support/program.ts";
import { createDatabase } from "#test/support/server.ts";
import { ROOT } from "#test/support/sources.ts";

/** What a start reads, as it lies in the repository. */
const PARTS = ["bin", "console/build", "db", "demo", "package.json", "src", "vendor"];

it("a start without a built program runs from the sources, and its helpers do", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "billfold-sources-"));
  const [dataDir, database] = [await makeDataDir(), await createDatabase()];
  let product: Product | undefined;
  t.after(async () => {
    await product?.kill("SIGKILL");
    await database.drop();
    await removeDataDir(dataDir);
    await rm(root, { recursive: true, force: true });
  });
  for (const part of PARTS) await cp(join(ROOT, part), join(root, part), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  product = await startProduct({
    program: programIn(root),
    env: {
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      // Compiled code would stay behind among that of the repository.
      NODE_DISABLE_COMPILE_CACHE: "1",
    },
  });
  // A process of its own examines the files.
  const body = { files: { "tenant.yml": "name: Acme\n", "locales/en.yml": "greeting: Hello\n" } };
  const { status, text } = await product.put("/api/tenants/acme", { key, body });
  assert.equal(status, 201, text);
  assert.deepEqual(await product.kill("SIGTERM"), { code: 0, signal: null }, product.output());
});
