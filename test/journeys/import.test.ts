import assert from "node:assert/strict";
import { describe, it } from "node:test";
import ssh2 from "ssh2";
import { endedImport, importFile, uploadImport } from "#test/support/imports.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import {
  connectDrop,
  DROP_PASSWORD,
  dropPort,
  promised,
  putFile,
  setPassword,
} from "#test/support/sftp.ts";
import { shareApi } from "#test/support/start-api.ts";
import { finishTask } from "#test/support/tasks.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { CREAT, WRITE } = ssh2.utils.sftp.OPEN_MODE;
const HEAD = "passType;identifiers.loyalty.number;additionalData.firstName\n";
const rows = (...numbers: readonly string[]) =>
  `${HEAD}${numbers.map((number) => `loyalty;${number};Ana\n`).join("")}`;

describe("files become passes", () => {
  const api = shareApi();
  const numbersOf = async (tenantId: string) => {
    const { body } = await api().get(`/api/${tenantId}/passes?pageSize=100`, {
      key: api().operatorKey,
    });
    return body
      .map((pass: { identifiers: Record<string, string> }) => pass.identifiers["loyalty.number"])
      .sort();
  };

  /** A tenant with templates whose file drop is open, and somebody who has signed in. */
  async function enter(tenantId: string) {
    const settings = `name: ${tenantId}\nsftp:\n  enabled: true\n`;
    await seedPassTenant(api(), tenantId, { "tenant.yml": settings });
    await setPassword(api(), tenantId, DROP_PASSWORD);
    const port = await dropPort(api(), tenantId);
    const drop = await connectDrop({ port, username: tenantId });
    /** The newest file first. */
    const list = async (): Promise<{ importId: string; fileName: string; status: string }[]> => {
      const path = `/api/${tenantId}/admin/imports`;
      return (await api().get(path, { key: api().operatorKey })).body;
    };
    const statuses = async () =>
      Object.fromEntries((await list()).map(({ fileName, status }) => [fileName, status]));
    /** The newest file of a name, when it is the `count`th and its import has ended. */
    const ended = async (fileName: string, count = 1) => {
      let named = await list();
      await until(
        async () => {
          named = (await list()).filter((file) => file.fileName === fileName);
          return named.length === count && named[0]?.status === "processed";
        },
        () => JSON.stringify(named),
      );
      return await endedImport(api(), tenantId, named[0]?.importId ?? "");
    };
    return { port, drop, files: await drop.files(), statuses, ended };
  }

  it("the same file dropped twice over SFTP is imported once, and the second says why", async () => {
    const { drop, files, ended } = await enter("twice");
    await using _ = drop;
    await putFile(files, "/inbox/members.csv", rows("1", "2"));
    const first = await ended("members.csv");
    assert.deepEqual([first.created, first.failed], [2, 0]);
    await putFile(files, "/inbox/members.csv", rows("1", "2"));
    const second = await ended("members.csv", 2);
    assert.deepEqual([second.duplicateOf, second.rows], [first.importId, 0]);
    assert.match(second.problem, /same contents as 'members\.csv'.*Nothing was done/);
    assert.deepEqual(await numbersOf("twice"), ["1", "2"]);
    const { body } = await api().get("/api/twice/admin/sftp/files/members.csv/log", {
      key: api().operatorKey,
    });
    assert.equal(body.file?.problem ?? body.problem, second.problem);
  });

  it("a file that is uploaded as .part is imported when it is renamed, not before", async () => {
    const { drop, files, statuses, ended } = await enter("renamed");
    await using _ = drop;
    await putFile(files, "/inbox/members.csv.part", rows("1"));
    // The oldest file is imported first, so the other one would have been imported by then.
    await putFile(files, "/inbox/later.csv", rows("2"));
    await ended("later.csv");
    assert.deepEqual(await statuses(), {
      "members.csv.part": "uploading",
      "later.csv": "processed",
    });
    assert.deepEqual(await numbersOf("renamed"), ["2"]);
    await promised<void>((done) =>
      files.rename("/inbox/members.csv.part", "/inbox/members.csv", (error) =>
        done(error, undefined),
      ),
    );
    assert.equal((await ended("members.csv")).created, 1);
    assert.deepEqual(await numbersOf("renamed"), ["1", "2"]);
  });

  it("of an upload that is cut off nothing is imported", async () => {
    const { port, drop, files, statuses, ended } = await enter("cut");
    const handle = await promised<Buffer>((done) =>
      files.open("/inbox/members.csv", (WRITE | CREAT) as unknown as "w", done),
    );
    const whole = Buffer.from(rows("1", "2", "3"));
    const half = whole.subarray(0, whole.length - 20);
    await promised<void>((done) =>
      files.write(handle, half, 0, half.length, 0, (error) => done(error, undefined)),
    );
    drop.client.destroy();
    await drop.closed;
    await using other = await connectDrop({ port, username: "cut" });
    await putFile(await other.files(), "/inbox/later.csv", rows("9"));
    await ended("later.csv");
    assert.deepEqual(await statuses(), { "members.csv": "uploading", "later.csv": "processed" });
    assert.deepEqual(await numbersOf("cut"), ["9"]);
  });

  it("a broken file over HTTP ends in error with a sentence, after the rows that can be read", async () => {
    await seedPassTenant(api(), "broken");
    const { importId } = await uploadImport(api(), "broken", `${rows("1")}loyalty;"2;Bo\n`);
    const file = await endedImport(api(), "broken", importId);
    assert.equal(file.status, "error");
    assert.match(file.problem, /quot/i);
    assert.match(file.problem, /line 3/);
    assert.deepEqual(await numbersOf("broken"), file.created === 1 ? ["1"] : []);
  });

  it("an export can be imported again: it changes nothing, and what was edited in it changes passes", async () => {
    const schedule = `tasks:\n  - { id: all, kind: export, cron: "0 4 * * *" }\n`;
    await seedPassTenant(api(), "around", { "server/schedule.yml": schedule });
    const key = api().operatorKey;
    const odd = { firstName: '=1+1;-2, "x"' };
    const { id } = await seedPass(api(), "around", { additionalData: { ...odd, points: 3 } });
    await seedPass(api(), "around", { identifiers: { "crm.id": "-7" } });
    const offer = { additionalData: { offer: "Tea", validUntil: "2020-01-01" } };
    await api().post("/api/around/passes?passType=coupon", { key, body: offer });
    const before = await api().get("/api/around/passes?pageSize=100", { key });
    const run = await finishTask(api(), "around", "all");
    const path = `/api/around/scheduler/all/executions/${run.executionId}/file`;
    const { text } = await api().get(path, { key });
    const again = await importFile(api(), "around", text, "fileName=export.csv");
    assert.deepEqual([again.file.problem, again.file.rows, again.file.failed], [null, 3, 0]);
    const after = await api().get("/api/around/passes?pageSize=100", { key });
    const contents = (passes: { body: Record<string, unknown>[] }) =>
      passes.body.map((pass) => [
        pass.id,
        pass.status,
        pass.identifiers,
        pass.additionalData,
        pass.expirationDate,
      ]);
    assert.deepEqual(contents(after).sort(), contents(before).sort());
    const edited = text.replace("'=1+1;'-2", "Camille");
    const { file } = await importFile(api(), "around", edited, "fileName=edited.csv");
    assert.deepEqual([file.updated, file.failed], [1, 0]);
    const { body } = await api().get(`/api/around/passes/${id}`, { key });
    assert.equal(body.additionalData.firstName, 'Camille, "x"');
  });
});
