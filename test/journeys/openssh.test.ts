import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { it } from "node:test";
import { describeWithOpenSsh, prepareOpenSsh } from "#test/support/openssh.ts";
import { DROP_PASSWORD, seedDrop } from "#test/support/sftp.ts";
import { shareApi } from "#test/support/start-api.ts";

const ROWS = Buffer.alloc(3_000_000, "identifiers.loyalty.number;1001\n");

describeWithOpenSsh("the file drop with the programs of OpenSSH", () => {
  // Without workers, files stay where they were put.
  const api = shareApi({ env: { ROLES: "api,sftp" } });

  async function prepare(t: { after(undo: () => Promise<void>): void }, tenantId: string) {
    const openssh = await prepareOpenSsh(t);
    await seedDrop(api(), tenantId, [openssh.publicKey]);
    const read = async (path: string) => {
      const { body } = await api().get(`/api/${tenantId}/admin/sftp/${path}`, {
        key: api().operatorKey,
      });
      return body;
    };
    const { port, hostKeys } = await read("status");
    await openssh.trust(port, hostKeys);
    await writeFile(openssh.at("rows.csv"), ROWS);
    return { openssh, port, read };
  }

  it("sftp uploads, lists, renames, resumes, downloads and removes", async (t) => {
    const { openssh, port, read } = await prepare(t, "by-sftp");
    const { at } = openssh;
    const half = ROWS.subarray(0, 1_000_000);
    await writeFile(at("half.csv"), half);
    const shown = await openssh.sftp(port, "by-sftp", [
      "ls -l /",
      `put -p ${at("rows.csv")} /inbox/rows.csv.part`,
      "rename /inbox/rows.csv.part /inbox/rows.csv",
      "cd inbox",
      `put ${at("half.csv")} again.csv.part`,
      `reput ${at("rows.csv")} again.csv.part`,
      "ls -l",
      `get rows.csv ${at("back.csv")}`,
      `get again.csv.part ${at("again.csv")}`,
      "rm again.csv.part",
      "pwd",
    ]);
    assert.match(shown, /drwxr-xr-x .* inbox/);
    assert.match(shown, /-rw-r--r-- .* 3000000 .* again\.csv\.part/);
    assert.match(shown, /working directory: \/inbox/);
    for (const name of ["back.csv", "again.csv"]) assert.ok(ROWS.equals(await readFile(at(name))));
    const files = await read("files");
    assert.deepEqual(
      files.map(({ fileName, status, size }: Record<string, unknown>) => [fileName, status, size]),
      [["rows.csv", "pending", ROWS.length]],
    );
  });

  it("sftp is told where something is not allowed", async (t) => {
    const { openssh, port } = await prepare(t, "told");
    for (const command of [
      "mkdir inbox/sub",
      "ls /etc",
      "get ../../etc/passwd",
      "symlink inbox inbox/link",
      `put ${openssh.at("rows.csv")} /rows.csv`,
      `put ${openssh.at("rows.csv")} /processed/rows.csv`,
    ]) {
      await assert.rejects(openssh.sftp(port, "told", [command]), command);
    }
  });

  it("scp copies there and back by a key, and by the password", async (t) => {
    const { openssh, port, read } = await prepare(t, "by-scp");
    const { at } = openssh;
    await openssh.scp(port, at("rows.csv"), "by-scp@127.0.0.1:inbox/by-key.csv");
    await openssh.scp(port, "by-scp@127.0.0.1:/inbox/by-key.csv", at("back.csv"));
    assert.ok(ROWS.equals(await readFile(at("back.csv"))));
    const to = "by-scp@127.0.0.1:/inbox/";
    await openssh.scpByPassword(port, DROP_PASSWORD, at("rows.csv"), to);
    assert.equal((await read("status")).pending, 2);
    await assert.rejects(openssh.scpByPassword(port, "wrong", at("rows.csv"), to));
  });
});
