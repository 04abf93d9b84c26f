import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { type ClientRequest, request } from "node:http";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PRODUCT_OPERATOR_KEY } from "#test/support/product.ts";
import { residentMibOf } from "#test/support/resident-memory.ts";
import { shareProduct } from "#test/support/share-product.ts";
import { startStopwatch } from "#test/support/slowness.ts";
import { type AttackEntry, buildZip } from "#test/support/zip-attacks.ts";

const MIB = 1024 * 1024;
const UPLOADS = 20;
const GROWTH_MIB_MAX = 300;
/** Less than two archives. The allocator keeps some free memory for later requests. */
const LEFT_MIB_MAX = 180;
const PIECE_BYTES = 256 * 1024;

const TENANT_FILE: AttackEntry = { name: "tenant.yml", content: "name: Acme\n" };

/** An archive of 90 MB, without compression. */
function makeArchive(): Buffer {
  const content = randomBytes(18 * MIB);
  const files = Array.from({ length: 5 }, (_, at) => {
    content.writeUInt32LE(at);
    return { name: `branding/film-${at}.bin`, method: 0, content: Buffer.from(content) };
  });
  return buildZip([TENANT_FILE, ...files]);
}

/** A small archive that inflates to 90 MB. */
function makePackedArchive(): Buffer {
  const content = Buffer.concat([randomBytes(230 * 1024), Buffer.alloc(17 * MIB)]);
  const files = Array.from({ length: 5 }, (_, at) => ({
    name: `branding/film-${at}.bin`,
    content,
  }));
  return buildZip([TENANT_FILE, ...files]);
}

type Answer = { readonly status: number | string; readonly retryAfter: string | undefined };
type Upload = { readonly answer: Promise<Answer>; readonly sent: Promise<void>; leave(): void };

/** Sends as fast as the server reads. With `part` below 1, sends only that part and never ends. */
function upload(url: string, body: Buffer, { part = 1, announces = true } = {}): Upload {
  const sending = request(url, {
    method: "PUT",
    headers: {
      "x-api-key": PRODUCT_OPERATOR_KEY,
      "content-type": "application/zip",
      ...(announces ? { "content-length": String(body.length) } : {}),
    },
  });
  const answer = new Promise<Answer>((resolve) => {
    sending.on("error", ({ code }: NodeJS.ErrnoException) =>
      resolve({ status: code ?? "error", retryAfter: undefined }),
    );
    sending.on("response", (response) => {
      response.resume();
      const { statusCode = 0, headers } = response;
      resolve({ status: statusCode, retryAfter: headers["retry-after"] });
    });
  });
  const sent = write(sending, body.subarray(0, Math.floor(body.length * part))).then(() => {
    if (part === 1) sending.end();
  });
  return { answer, sent, leave: () => sending.destroy() };
}

async function write(sending: ClientRequest, bytes: Buffer): Promise<void> {
  const closed = new Promise((resolve) => sending.once("close", resolve));
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const isTaken = sending.write(bytes.subarray(at, at + PIECE_BYTES));
    if (isTaken) continue;
    await Promise.race([closed, new Promise((resolve) => sending.once("drain", resolve))]);
    if (sending.destroyed) return;
  }
}

describe("large uploads at once", () => {
  const archive = makeArchive();
  const product = shareProduct({ ROLES: "api" });
  let idleMib: number;

  const residentMib = () => residentMibOf(product().pid);
  const addressOf = (tenantId: string) => `${product().url}/api/tenants/${tenantId}`;

  before(async () => {
    await publishSmall();
    await sleep(500);
    idleMib = residentMib();
  });
  function publishSmall() {
    const files = { "tenant.yml": `name: Acme ${randomUUID()}\n` };
    return product().put("/api/tenants/first", { key: PRODUCT_OPERATOR_KEY, body: { files } });
  }

  /** Measures by how much the memory of the process grows at most during the work. */
  async function watchGrowth(work: () => Promise<void>): Promise<number> {
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, residentMib() - idleMib);
    }, 20);
    try {
      await work();
    } finally {
      clearInterval(timer);
    }
    return most;
  }

  async function assertGivenBack(): Promise<void> {
    const elapsedMs = startStopwatch();
    while (residentMib() - idleMib > LEFT_MIB_MAX) {
      const left = Math.round(residentMib() - idleMib);
      assert.ok(elapsedMs() < 10_000, `${left} MiB stay`);
      await sleep(100);
    }
  }

  function assertAnswered({ status, retryAfter }: Answer): void {
    assert.ok([201, 400, 503].includes(status as number), `answered ${status}`);
    if (status === 503) assert.match(retryAfter ?? "", /^\d+$/);
  }

  it("201: uploads that never end take no memory, nor the room of another tenant", async () => {
    const growth = await watchGrowth(async () => {
      const hanging = Array.from({ length: UPLOADS }, (_, at) =>
        upload(addressOf("first"), archive, { part: 0.9, announces: at % 2 === 0 }),
      );
      await Promise.race([Promise.all(hanging.map(({ sent }) => sent)), sleep(8_000)]);
      assert.equal((await upload(addressOf("other"), archive).answer).status, 201);
      for (const { leave } of hanging) leave();
    });
    assert.ok(growth < GROWTH_MIB_MAX, `grew by ${Math.round(growth)} MiB`);
    await assertGivenBack();
  });

  it("201, 400, 503: uploads of 90 MB are all answered, within bounds of memory", async () => {
    const broken = Buffer.concat([archive, Buffer.from("and something behind its end")]);
    const answers: Answer[] = [];
    const growth = await watchGrowth(async () => {
      const sending = Array.from({ length: UPLOADS }, (_, at) =>
        upload(addressOf(`tenant-${at}`), at % 5 === 0 ? archive : broken, {
          announces: at % 2 === 0,
        }),
      );
      // A publication of usual size does not wait for memory.
      await sleep(1_000);
      assert.equal((await publishSmall()).status, 200);
      answers.push(...(await Promise.all(sending.map(({ answer }) => answer))));
    });
    answers.forEach(assertAnswered);
    assert.ok(answers.some(({ status }) => status !== 503));
    assert.ok(growth < GROWTH_MIB_MAX, `grew by ${Math.round(growth)} MiB`);
    await assertGivenBack();
  });

  it("201, 503: archives that unpack to 90 MB are unpacked one after the other", async () => {
    const packed = makePackedArchive();
    const answers: Answer[] = [];
    const growth = await watchGrowth(async () => {
      const sending = Array.from({ length: 6 }, (_, at) =>
        upload(addressOf(`packed-${at}`), packed),
      );
      answers.push(...(await Promise.all(sending.map(({ answer }) => answer))));
    });
    answers.forEach(assertAnswered);
    assert.ok(answers.some(({ status }) => status === 201));
    assert.ok(growth < GROWTH_MIB_MAX, `grew by ${Math.round(growth)} MiB`);
  });
});
