import type { TestContext } from "node:test";
import pg from "pg";
import type { TestApi } from "./start-api.ts";

/**
 * Locks what the statement locks, in a transaction of the test. Returns the function that lets it go;
 * statements that wait for the same row get it in the order in which they came.
 */
export async function holdLock(
  t: TestContext,
  { database }: Pick<TestApi, "database">,
  statement: string,
  values: unknown[] = [],
): Promise<() => Promise<void>> {
  const client = new pg.Client(database.connection);
  await client.connect();
  t.after(() => client.end());
  await client.query("begin; set local app.tenant = '*'");
  await client.query(statement, values);
  return async () => {
    await client.query("commit");
  };
}
