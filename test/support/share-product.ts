import { after, before } from "node:test";
import { makeDataDir, type Product, removeDataDir, startProduct } from "./product.ts";
import { createDatabase } from "./server.ts";

/**
 * A process of the product on a database of its own, for all tests of a `describe`; reach it through the
 * function this returns.
 */
export function shareProduct(env: Readonly<Record<string, string>> = {}): () => Product {
  let product: Product | undefined;
  const undos: (() => Promise<unknown>)[] = [];
  before(async () => {
    const database = await createDatabase();
    undos.unshift(() => database.drop());
    const dataDir = await makeDataDir();
    undos.unshift(() => removeDataDir(dataDir));
    const started = await startProduct({
      env: { DATA_DIR: dataDir, DATABASE_URL: database.url, ...env },
    });
    undos.unshift(() => started.kill("SIGTERM"));
    product = started;
  });
  after(async () => {
    for (const undo of undos) await undo();
  });
  return () => {
    if (product === undefined) throw new Error("The product is shared from inside tests only.");
    return product;
  };
}
