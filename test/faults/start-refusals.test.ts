import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { type FakePostgresAnswer, startFakePostgres } from "#test/support/fake-postgres.ts";
import { runAsOrdinaryUser } from "#test/support/ordinary-user.ts";
import { freePort, runProduct } from "#test/support/product.ts";

const PASSWORD = "hunter2/äß";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "billfold-refusal-"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Returns the single line with the reason, without its fixed beginning. */
async function refusalOf(env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runProduct({
    env: { PORT: "0", DATA_DIR: join(folder, "data"), ...env },
  });
  assert.equal(code, 1, stderr);
  const [line = "", ...others] = stderr.split("\n").filter((text) => text !== "");
  assert.deepEqual(others, []);
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), "hunter2"]) {
    assert.ok(!`${stdout}${stderr}`.includes(secret), "the password is told nowhere");
  }
  assert.match(line, /^Billfold cannot start: /);
  return line.slice("Billfold cannot start: ".length);
}

async function occupy(t: TestContext): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return String((server.address() as AddressInfo).port);
}

describe("ports that cannot be listened on", () => {
  it("in use: told by the setting, before anything is made", async (t) => {
    const port = await occupy(t);
    const dataDir = join(folder, "never-made");
    for (const setting of ["PORT", "METRICS_PORT", "SFTP_PORT"]) {
      const refusal = await refusalOf({ [setting]: port, DATA_DIR: dataDir });
      assert.match(
        refusal,
        new RegExp(`^Port ${port} of 127.0.0.1 is in use. .* set ${setting} to another port\\.$`),
      );
    }
    assert.equal(existsSync(dataDir), false, "no folder, and so no database");
  });

  it("the same port twice: told before either is used", async () => {
    const port = String(await freePort());
    assert.equal(
      await refusalOf({ PORT: port, METRICS_PORT: port }),
      `PORT and METRICS_PORT are both ${port}. Set one of them to another.`,
    );
  });

  it("an address of another machine: HOST is named", async () => {
    for (const HOST of ["192.0.2.1", "nowhere.invalid"]) {
      assert.match(await refusalOf({ HOST }), /^This machine has no address .* Set HOST to /);
    }
  });

  it("a port of the system: an ordinary user is told which ones are free to take", async (t) => {
    const said = await runAsOrdinaryUser(
      t,
      "#main/listen-address.ts",
      `
        const roles = new Set(["worker"]);
        await module.claimPorts({ host: "127.0.0.1", roles, baseUrl: "", metricsPort: 1 });
      `,
    );
    if (said === "") return t.diagnostic("this system lets everybody listen on every port");
    assert.equal(
      said,
      "This user may not listen on port 1. Set METRICS_PORT to a port from 1024 on.",
    );
  });
});

describe("a DATA_DIR that cannot be used", () => {
  it("a file, in a file, where nothing can be made: told with what to do", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    for (const DATA_DIR of [file, join(file, "data")]) {
      const refusal = await refusalOf({ DATA_DIR });
      assert.ok(
        refusal.startsWith(`DATA_DIR cannot be ${DATA_DIR}: there is a file in its place.`),
      );
      assert.match(refusal, / set DATA_DIR to another folder\.$/);
    }
    const nowhere = process.platform === "linux" ? "/proc/billfold/data" : "/dev/null/data";
    assert.match(await refusalOf({ DATA_DIR: nowhere }), /^DATA_DIR cannot be .* Set DATA_DIR to/i);
  });

  it("a folder of somebody else: says who may not write there", async (t) => {
    const foreign = join(folder, "foreign");
    await mkdir(foreign, { mode: 0o500 });
    const said = await runAsOrdinaryUser(
      t,
      "#main/data-folder.ts",
      `
      const config = { dataDir: ${JSON.stringify(join(foreign, "data"))}, masterKeys: [] };
      await module.makeDataFolder(config);
    `,
    );
    assert.match(said, /^DATA_DIR cannot be .*foreign.data: this user \(uid \d+\) may not write/);
  });

  it("is of no interest to a process that keeps nothing in it", async () => {
    const file = join(folder, "unused");
    await writeFile(file, "");
    const refusal = await refusalOf({
      DATA_DIR: file,
      DATABASE_URL: `postgres://localhost:${await freePort()}/x`,
      MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      OPERATOR_KEY: "operator-key-of-the-test-suite-0123456789",
    });
    assert.match(refusal, /^DATABASE_URL /);
  });
});

function address(host: string, port: number, user = "me"): string {
  return `postgres://${user}:${encodeURIComponent(PASSWORD)}@${host}:${port}/wallet`;
}

describe("a DATABASE_URL that cannot be used", () => {
  const start = /^DATABASE_URL cannot be used: /;

  it("no such host, nobody listening, no such socket: told with the place", async () => {
    const port = await freePort();
    const cases: [string, RegExp][] = [
      [address("nowhere.invalid", port), /'nowhere\.invalid' leads to no address \(E\w+\)/],
      [address("127.0.0.1", port), /no server listens at 127\.0\.0\.1, port \d+ \(ECONNREFUSED\)/],
      [address("localhost", port), /no server listens at localhost, port \d+ \(ECONNREFUSED\)/],
      [
        `postgres://me@localhost/wallet?host=${folder}/no-socket`,
        /no server listens at .*no-socket\/\.s\.PGSQL\.5432 \(ENOENT\)/,
      ],
    ];
    for (const [DATABASE_URL, reason] of cases) {
      const refusal = await refusalOf({ DATABASE_URL });
      assert.match(refusal, start);
      assert.match(refusal, reason);
    }
  });

  it("an address that cannot be read: tells how to write special characters", async () => {
    for (const DATABASE_URL of [
      "postgres://me:hunter2/x@db/wallet",
      "postgres://db:99999/wallet",
    ]) {
      assert.match(await refusalOf({ DATABASE_URL }), /it is no address\. .*percent-encoding/);
    }
    assert.match(
      await refusalOf({ DATABASE_URL: "postgres://db/wallet?sslrootcert=/nowhere/ca.pem" }),
      /it names the file \/nowhere\/ca\.pem, which cannot be read/,
    );
  });

  const answers: [string, FakePostgresAnswer, RegExp][] = [
    [
      "a wrong password",
      { code: "28P01", message: `password "${PASSWORD}" failed for user "me"` },
      /refuses the password of user 'me'\. Correct it/,
    ],
    [
      "a user that the server does not know",
      { code: "28000", message: 'role "me" does not exist' },
      /does not let user 'me' in: role "me" does not exist\. Make that user/,
    ],
    [
      "a server that insists on TLS",
      { code: "28000", message: 'no pg_hba.conf entry for host "::1", user "me", no encryption' },
      /Add \?sslmode=require to the address\.$/,
    ],
    [
      "a database that does not exist",
      { code: "3D000", message: 'database "wallet" does not exist' },
      /has no database 'wallet'\. Make it: create database "wallet" owner "me";$/,
    ],
    [
      "a server that is full",
      { code: "53300", message: "sorry, too many clients already" },
      /no connection left .*max_connections/,
    ],
    [
      "a server that is starting",
      { code: "57P03", message: "the database system is starting up" },
      /not ready yet .*Try again/,
    ],
    [
      "anything else",
      { code: "XX000", message: `out of luck with ${PASSWORD}` },
      /out of luck with …$/,
    ],
    [
      "a server that is too old",
      { facts: ["130004", "13.4", "f", "t", "t"] },
      /PostgreSQL 13\.4, and Billfold needs 15 or newer\./,
    ],
    [
      "a copy that can only be read",
      { facts: ["180000", "18.0", "t", "f", "t"] },
      /only lets read\. Name the primary server/,
    ],
    [
      "a user who may make no tables",
      { facts: ["180000", "18.0", "f", "t", "f"] },
      /user 'me' may not make tables in database 'wallet'\. .*alter database "wallet" owner to "me";$/,
    ],
  ];
  for (const [title, answer, reason] of answers) {
    it(`${title}: told with what to do, without the password`, async (t) => {
      const server = await startFakePostgres(answer);
      t.after(() => server.stop());
      const refusal = await refusalOf({ DATABASE_URL: address("127.0.0.1", server.port) });
      assert.match(refusal, start);
      assert.match(refusal, reason);
    });
  }

  it("a server without TLS, asked for it: names the setting of the address", async (t) => {
    const server = await startFakePostgres({ facts: [] });
    t.after(() => server.stop());
    const DATABASE_URL = `${address("127.0.0.1", server.port)}?sslmode=verify-full`;
    assert.match(await refusalOf({ DATABASE_URL }), /speaks no TLS\. Take sslmode out/);
  });
});
