import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
  type ImportStage,
  importStage,
  outcomeOf,
  processNext,
} from "#test/support/import-stage.ts";
import { startApi } from "#test/support/start-api.ts";

/* import.list-outcomes */

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
await api.seed.tenant("acme");
const stage = importStage(api, "acme");
const CSV = { accept: "text/csv" };

let files = 0;

async function processed(outcomes: Parameters<typeof processNext>[1], on: ImportStage = stage) {
  files += 1;
  await on.pending(`file ${files}`);
  return await processNext(on, outcomes);
}

const rowsOf = (body: readonly { readonly row: number }[]) => body.map(({ row }) => row);

/** All pages, by their links. */
async function follow(path: string): Promise<number[]> {
  const rows: number[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body, headers } = await api.get(next, { key });
    rows.push(...rowsOf(body));
    next = /^<([^>]+)>/.exec(headers.get("link") ?? "")?.[1];
  }
  return rows;
}

describe("GET /api/:tenantId/admin/imports/:importId/log (import.list-outcomes)", () => {
  it("200: every row in the order of the file, page by page, with its reason", async () => {
    const reason = "The column 'additionalData.points' takes a number, and 'many' is none.";
    const outcomes = Array.from({ length: 53 }, (_, at) =>
      at % 5 === 4
        ? outcomeOf(at + 1, { outcome: "failed", passId: null, message: reason })
        : outcomeOf(at + 1),
    );
    const id = await processed(outcomes);
    const { body, headers } = await stage.log(id);
    assert.equal(headers.get("x-pagination-total"), "53");
    assert.equal(body.length, 20);
    assert.deepEqual(body[4], {
      row: 5,
      line: 6,
      outcome: "failed",
      passId: null,
      identifiers: { "loyalty.number": "5" },
      message: reason,
    });
    const all = outcomes.map(({ row }) => row);
    assert.deepEqual(await follow(`${stage.base}/${id}/log?pageSize=7`), all);
    assert.deepEqual(
      await follow(
        `${stage.base}/${id}/log?pageSize=7&sortBy[0].field=row&sortBy[0].direction=DESC`,
      ),
      all.toReversed(),
    );
    const failed = all.filter((row) => row % 5 === 0);
    assert.deepEqual(await follow(`${stage.base}/${id}/log?outcome=failed&pageSize=3`), failed);
    const some = await stage.log(id, "?outcome=failed");
    assert.equal(some.headers.get("x-pagination-total"), "10");
    const filter = "filter[0].field=row&filter[0].operator=greaterThan&filter[0].value=50";
    assert.deepEqual(rowsOf((await stage.log(id, `?${filter}`)).body), [51, 52, 53]);
    const byPass = "filter[0].field=passId&filter[0].operator=equals&filter[0].value=ps_7";
    assert.deepEqual(rowsOf((await stage.log(id, `?${byPass}`)).body), [7]);
  });

  it("400: an outcome, a row or a cursor that cannot be", async () => {
    const id = await processed([outcomeOf(1)]);
    const row = (value: string) =>
      `?filter[0].field=row&filter[0].operator=equals&filter[0].value=${value}`;
    for (const query of [
      "?outcome=lost",
      row("1.5"),
      row("9999999999"),
      row("x"),
      "?cursor=abcd",
    ]) {
      assert.equal((await stage.log(id, query)).status, 400, query);
    }
    assert.equal((await stage.log(id, "?pageSize=2&sortBy[0].field=row", CSV)).status, 400);
  });

  it("200: as CSV with a reason column, whole or only what failed, and no cell is a formula", async () => {
    const id = await processed([
      outcomeOf(1, { identifiers: { "crm.id": "=1+1", "loyalty.number": "7" } }),
      outcomeOf(2, {
        outcome: "failed",
        passId: null,
        identifiers: { "loyalty.number": "+49 30" },
        message: 'The value "=cmd|x" is\nno number, sorry.',
      }),
      outcomeOf(3, { outcome: "failed", passId: null, identifiers: {}, message: "@SUM(A1)" }),
      outcomeOf(4, { outcome: "failed", passId: '=HYPERLINK("x,y")', identifiers: {} }),
      outcomeOf(5, {
        outcome: "failed",
        passId: null,
        identifiers: {},
        message: "'a;=1+1' is none",
      }),
    ]);
    const { status, text, headers } = await stage.log(id, "", CSV);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/csv; charset=utf-8");
    assert.match(
      headers.get("content-disposition") ?? "",
      /^attachment; filename="imp_\w+-log\.csv"$/,
    );
    const head = "row,line,outcome,reason,passId,identifiers.crm.id,identifiers.loyalty.number";
    const failed = [
      `2,3,failed,"The value ""=cmd|x"" is\nno number, sorry.",,,'+49 30`,
      "3,4,failed,'@SUM(A1),,,",
      `4,5,failed,,"'=HYPERLINK(""x,y"")",,`,
      `5,6,failed,"'a;'=1+1' is none",,,`,
    ];
    assert.equal(text, [head, "1,2,created,,ps_1,'=1+1,7", ...failed, ""].join("\r\n"));
    const only = await stage.log(id, "?outcome=failed", CSV);
    assert.equal(only.text, [head, ...failed, ""].join("\r\n"));
  });

  it("200: a log of 100,000 rows is sent as CSV, and any page of it is found by its key", async () => {
    const id = await processed([outcomeOf(1)]);
    await api.sql(
      `insert into import_outcome
       select tenant_id, file_id, n, n + 1, case when n % 1000 = 0 then 'failed' else 'created' end,
              null, identifiers, null
         from import_outcome, generate_series(2, 100000) as n where file_id = $1`,
      [id],
    );
    await api.sql(
      "update import_file set rows = 100000, created = 99900, failed = 100 where id = $1",
      [id],
    );
    const { text } = await stage.log(id, "", CSV);
    assert.equal(text.split("\r\n").length, 100_002);
    assert.equal((await follow(`${stage.base}/${id}/log?outcome=failed&pageSize=40`)).length, 100);
    const filter = "filter[0].field=row&filter[0].operator=greaterThan&filter[0].value=99000";
    assert.equal((await stage.log(id, `?${filter}`)).body[0].row, 99_001);
    const plan = await api.sql(
      `explain select * from import_outcome
        where tenant_id = 'acme' and file_id = $1 and (row) > ('99000'::integer) order by row limit 21`,
      [id],
    );
    assert.match(JSON.stringify(plan), /Index Cond: .*row\W* > /);
  });

  it("200: what no database can store does not stop an import", async () => {
    const identifiers = { "crm.id": "a\u0000b", "loyalty.number": "\ud800" };
    const message = `NUL \u0000 and half \ud83d, and ${"long ".repeat(200)}`;
    const id = await processed([outcomeOf(1, { outcome: "failed", identifiers, message })]);
    const { body } = await stage.log(id);
    assert.deepEqual(body[0].identifiers, {});
    assert.ok(body[0].message.startsWith("NUL  and half "));
    assert.equal(body[0].message.length, 499);
  });
});
