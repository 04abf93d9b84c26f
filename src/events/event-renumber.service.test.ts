import assert from "node:assert/strict";
import { it } from "node:test";
import { startApi } from "#test/support/start-api.ts";
import { BEGINNING, createCursors } from "./feed/position.ts";

type Node = Pick<Awaited<ReturnType<typeof startApi>>, "get" | "operatorKey">;

it("after a restore on another server the feed goes on, in its order and without a loss", async (t) => {
  const api = await startApi(t, { env: { ROLES: "api" } });
  const key = api.operatorKey;
  await api.seed.tenant("moved");
  await api.sql("delete from event");
  const happen = (from: number, through: number) =>
    api.sql(
      `insert into event (tenant_id, id, name, occurred_at, data)
       select 'moved', 'evt_' || n, 'thing.made', now(), jsonb_build_object('n', n)
         from generate_series($1::int, $2::int) as n order by n`,
      [from, through],
    );

  async function numbers(node: Node, cursor: string, wanted: number): Promise<number[]> {
    for (const deadline = Date.now() + 60_000; ; ) {
      const path = `/api/moved/events?pageSize=500&cursor=${cursor}`;
      const { status, body, text } = await node.get(path, { key });
      assert.equal(status, 200, text);
      if (body.length >= wanted || Date.now() > deadline) {
        return body.map(({ data }: { data: { n: number } }) => data.n);
      }
    }
  }
  const range = (from: number, through: number) =>
    Array.from({ length: through - from + 1 }, (_none, at) => from + at);

  // Events 1 to 5 have transaction numbers that this server has used; 6 to 10 get far higher ones.
  await happen(1, 5);
  await happen(6, 10);
  await api.sql("update event set xact = '9000000000' where data ->> 'n' = any ('{6,7}')");
  await api.sql("update event set xact = '9000000001' where data ->> 'n' = any ('{8,9,10}')");
  const { encode } = createCursors(api.runtime.sealer, "moved");
  const start = encode(BEGINNING);
  assert.deepEqual(await numbers(api, start, 5), range(1, 5), "the others would wait for ever");

  const node = await api.node({ ROLES: "api" });
  await happen(11, 12);
  assert.deepEqual(await numbers(node, start, 12), range(1, 12));
  const [seven] = await api.sql("select sequence::text from event where id = 'evt_7'");
  const old = encode({ xact: "9000000000", sequence: String(seven?.sequence) });
  assert.deepEqual(await numbers(node, old, 12), range(1, 12), "twice rather than never");
  const log = node.logLines.filter((line) => line.includes("events of another server"));
  assert.equal(log.length, 1);
  assert.match(log[0] ?? "", /"count":5/);
  const again = await api.node({ ROLES: "api" });
  assert.ok(again.logLines.every((line) => !line.includes("events of another server")));
});
