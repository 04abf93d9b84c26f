import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { openPrivilegeStage } from "#test/support/privilege-stage.ts";
import { startApi } from "#test/support/start-api.ts";

/* movement.export, movement.export-by-identifier */

const now = new Date("2026-03-01T12:00:00.000Z");
const api = await startApi({ after }, { env: { ROLES: "api" }, clock: { now: () => now } });
const key = api.operatorKey;
const stage = await openPrivilegeStage(api, "acme");

async function passWith() {
  const pass = await stage.pass();
  await pass.having({ privilegeId: "coffee", type: "MultiUse", value: 10 });
  return pass;
}

describe("GET …/statement.csv", () => {
  it("200: every movement from the first on, and no cell that a spreadsheet would run", async () => {
    const pass = await passWith();
    const reason = '=HYPERLINK("http://evil.example";"x")';
    await pass.move("coffee", { value: -0.5, reason, reference: "@SUM(1)" });
    await pass.move("coffee", {
      value: -1,
      reason: 'two\r\n=lines, with "quotes"',
      reference: " +1",
    });
    const { status, text, headers } = await api.get(`${pass.base}/coffee/statement.csv`, { key });
    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^text\/csv/);
    const at = now.toISOString();
    const { body } = await pass.movements("coffee", "?sortBy[0].field=sequence");
    const [a, b, c] = body.map(({ movementId }: { movementId: string }) => movementId);
    assert.equal(
      text,
      [
        "sequence,movementId,type,value,valueBefore,valueAfter,reason,reference,reverses,occurredAt,createdAt",
        `1,${a},issuance,10,0,10,,,,${at},${at}`,
        `2,${b},redemption,-0.5,10,9.5,"'=HYPERLINK(""http://evil.example"";""x"")",'@SUM(1),,${at},${at}`,
        `3,${c},redemption,-1,9.5,8.5,"two\r\n'=lines, with ""quotes""",' +1,,${at},${at}`,
        "",
      ].join("\r\n"),
    );
  });

  it("200: a ledger of thousands of lines comes whole", async () => {
    const pass = await passWith();
    await api.sql(
      `insert into movement (tenant_id, pass_id, privilege_id, sequence, id, type, value, value_before,
                             value_after, occurred_at, created_at)
       select 'acme', $1, 'coffee', n, 'mv_' || $1 || n, 'adjustment', 1, n, n + 1, now(), now()
         from generate_series(2, 1501) as n`,
      [pass.id],
    );
    const { text } = await api.get(`${pass.base}/coffee/statement.csv`, { key });
    const numbers = text
      .split("\r\n")
      .slice(1, -1)
      .map((line) => Number(line.split(",", 1)[0]));
    assert.deepEqual(
      numbers,
      Array.from({ length: 1501 }, (_, at) => at + 1),
    );
  });
});
