import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Outcome } from "#src/imports/outcomes/outcome.schema.ts";
import { importStage, outcomeOf, processNext } from "#test/support/import-stage.ts";
import { startApi } from "#test/support/start-api.ts";

/* import.export-failed-rows */

const api = await startApi({ after }, { env: { ROLES: "api" } });
const key = api.operatorKey;
await api.seed.tenant("acme");
const stage = importStage(api, "acme");

const failed = (row: number, message: string) =>
  outcomeOf(row, { outcome: "failed", passId: null, message });

async function failedRows(content: string, outcomes: readonly Outcome[], name = "a.csv") {
  const id = await stage.pending(content, `fileName=${name}`);
  await processNext(stage, outcomes);
  const { status, text, headers } = await api.get(`${stage.base}/${id}/failed-rows`, { key });
  assert.equal(status, 200, text);
  return { id, text, type: headers.get("content-type") };
}

describe("GET …/imports/:importId/failed-rows (import.export-failed-rows)", () => {
  it("200: only what failed, as it came, with line and reason", async () => {
    const content = 'number;note\n1;fine\n2;"two; lines\nand a half"\n3\n4;=1+1\n5;fine\n';
    const { text, type } = await failedRows(content, [
      outcomeOf(1),
      failed(2, "No, never."),
      failed(3, "The row has 1 column, and the header has 2."),
      failed(4, "Not that."),
      outcomeOf(5),
    ]);
    assert.equal(type, "text/csv; charset=utf-8");
    assert.equal(
      text,
      [
        "number,note,line,reason",
        '2,"two; lines\nand a half",3,"No, never."',
        ',,4,"The row has 1 column, and the header has 2."',
        "4,'=1+1,5,Not that.",
        "",
      ].join("\r\n"),
    );
  });

  it("200: corrected files have no column twice, and of JSON each row is a line", async () => {
    const again = await failedRows("number,line,reason\n7,3,old\n", [failed(1, "new")]);
    assert.equal(again.text, "number,line,reason\r\n7,2,new\r\n");
    const list = `[{"number": 1}, {"number": 12345678901234567890.5, "reason": "old"}]`;
    const { text, type } = await failedRows(list, [outcomeOf(1), failed(2, "new")], "a.json");
    assert.equal(type, "application/x-ndjson; charset=utf-8");
    assert.equal(text, '{"number":12345678901234567890.5,"reason":"new","line":3}\n');
  });

  it("200: of a file that cannot be read to its end, what came before", async () => {
    const id = await stage.pending('number,x\n1,2\n3,"never closed');
    const claimed = await stage.claim();
    assert.ok(claimed !== undefined);
    await stage.record(claimed, [failed(1, "Sorry.")], 9);
    await stage.fail(claimed, "A quote is never closed.");
    const { text } = await api.get(`${stage.base}/${id}/failed-rows`, { key });
    assert.equal(text, "number,x,line,reason\r\n1,2,2,Sorry.\r\n");
  });

  it("200: columns and values are there however many rows before them cannot be read", async () => {
    const count = 6_000;
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const outcomes = [...numbers.map((row) => failed(row, "x")), failed(count + 1, "y")];
    const broken = 'vip;"a"b;1\n'.repeat(count);
    const csv = await failedRows(`type;name;points\n${broken}vip;FR1;many\n`, outcomes);
    assert.equal(csv.type, "text/csv; charset=utf-8");
    const lines = csv.text.split("\r\n");
    assert.deepEqual([lines[0], lines[1]], ["type,name,points,line,reason", ",,,2,x"]);
    assert.equal(lines.at(-2), "vip,FR1,many,6002,y");
    const objects = `${"{broken\n".repeat(count)}{"name":"FR1"}\n`;
    const json = await failedRows(objects, outcomes, "a.ndjson");
    assert.equal(json.type, "application/x-ndjson; charset=utf-8");
    const rows = json.text.split("\n");
    assert.equal(rows[0], '{"line":2,"reason":"x"}');
    assert.equal(rows.at(-2), '{"name":"FR1","line":6002,"reason":"y"}');
  });

  it("200: ten thousand rows of which every third failed", async () => {
    const numbers = Array.from({ length: 10_000 }, (_, at) => at + 1);
    const content = `number\n${numbers.join("\n")}\n`;
    const outcomes = numbers.map((row) => (row % 3 === 0 ? failed(row, "x") : outcomeOf(row)));
    const { text } = await failedRows(content, outcomes);
    const rows = numbers.filter((row) => row % 3 === 0).map((row) => `${row},${row + 1},x`);
    assert.equal(text, ["number,line,reason", ...rows, ""].join("\r\n"));
  });

  it("404: another tenant's; 410: the contents are deleted", async () => {
    const { id } = await failedRows("number\n1\n", [failed(1, "x")]);
    await api.sql("update import_file set contents = 'gone' where id = $1", [id]);
    const { status, body } = await api.get(`${stage.base}/${id}/failed-rows`, { key });
    assert.deepEqual([status, body.code], [410, "import.contents-gone"]);
    await api.seed.tenant("rival");
    const foreign = await api.get(`/api/rival/admin/imports/${id}/failed-rows`, { key });
    assert.deepEqual([foreign.status, foreign.body.code], [404, "import.not-found"]);
  });
});
