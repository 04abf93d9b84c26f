import { after, before } from "node:test";
import { type BreakableLink, createBreakableLink } from "./breakable-link.ts";
import { createDatabase, toUrl } from "./server.ts";
import { startApi, type TestApi } from "./start-api.ts";
import { until } from "./webhook-receiver.ts";

/** One API for all tests of a `describe`, whose database a test can take away for a while. */
export function shareBreakableApi(env: Readonly<Record<string, string>> = {}) {
  let started: { readonly api: TestApi; readonly link: BreakableLink } | undefined;
  const undos: (() => Promise<unknown>)[] = [];
  before(async () => {
    const database = await createDatabase();
    undos.unshift(() => database.drop());
    const link = await createBreakableLink(database.connection);
    undos.unshift(() => link.close());
    const reached = { ...database, url: toUrl(link.connection) };
    const owner = { after: (undo: () => Promise<void>) => void undos.unshift(undo) };
    started = { api: await startApi(owner, { env, database: reached }), link };
  });
  after(async () => {
    for (const undo of undos) await undo();
  });
  const get = () => {
    if (started === undefined) throw new Error("The API is shared from inside tests only.");
    return started;
  };
  return {
    api: () => get().api,
    /** Does something while the database is away; when this resolves, the service works again. */
    async duringOutage(work: () => Promise<void>): Promise<void> {
      const { api, link } = get();
      await link.cut();
      try {
        await work();
      } finally {
        await link.restore();
        const key = api.operatorKey;
        await until(async () => (await api.get("/api/tenants", { key })).status === 200);
      }
    },
  };
}
