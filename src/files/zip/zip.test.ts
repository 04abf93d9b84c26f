import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { crc32, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { readZip } from "#test/support/read-zip.ts";
import { buildZip, descriptor, extraField, readHonestZip } from "#test/support/zip-attacks.ts";
import { COMPRESSION_RATIO_MAX, collisions, pathProblem } from "../file-set.ts";
import { writeZip } from "./zip.ts";

const DATE = new Date("2026-03-29T01:30:59.999Z");

function setOf(files: Record<string, string | Buffer>): Map<string, Buffer> {
  return new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
}

async function filesOf(archive: Buffer): Promise<Record<string, string>> {
  const reading = await readZip(archive);
  assert.ok(reading.ok, JSON.stringify(reading));
  return Object.fromEntries([...reading.files].map(([path, bytes]) => [path, bytes.toString()]));
}

describe("writeZip", () => {
  const files = setOf({ "tenant.yml": "name: Acme\n", "images/é.png": Buffer.from([0, 255]) });

  it("gives the same bytes for the same files, in whatever order they come", async () => {
    const archive = await writeZip(files, DATE);
    assert.deepEqual(await writeZip(new Map([...files].reverse()), DATE), archive);
  });

  it("gives the same bytes in every time zone", async () => {
    const script = `
      import { writeZip } from ${JSON.stringify(import.meta.resolve("./zip.ts"))};
      const files = new Map([["tenant.yml", Buffer.from("name: Acme")]]);
      const archive = await writeZip(files, new Date(${DATE.getTime()}));
      process.stdout.write(new Date(0).getHours() + " " + archive.toString("hex"));
    `;
    const [utc = "", island = ""] = ["UTC", "Pacific/Kiritimati"].map((TZ) =>
      execFileSync(process.execPath, ["--input-type=module", "-e", script], {
        env: { TZ },
        encoding: "utf8",
      }),
    );
    assert.notEqual(utc.split(" ")[0], island.split(" ")[0], "the zones do differ");
    assert.equal(utc.split(" ")[1], island.split(" ")[1]);
  });

  it("writes the date given, in UTC and within what the format knows", async () => {
    const dosDate = async (date: Date) => (await writeZip(files, date)).readUInt32LE(10);
    const packed = (y: number, mo: number, d: number, h: number, mi: number, s: number) =>
      (((y - 1980) << 25) | (mo << 21) | (d << 16) | (h << 11) | (mi << 5) | (s >> 1)) >>> 0;
    assert.equal(await dosDate(DATE), packed(2026, 3, 29, 1, 30, 58));
    assert.equal(await dosDate(new Date(0)), packed(1980, 1, 1, 0, 0, 0));
    assert.equal(await dosDate(new Date("2500-01-01")), packed(2107, 12, 31, 23, 59, 58));
  });

  it("is read the same by a reader that shares no code with it", async () => {
    const archive = await writeZip(files, DATE);
    assert.deepEqual(readHonestZip(archive), new Map([...files].sort()));
  });
});

describe("readZip", () => {
  it("reads stored and deflated files, sorted, and ignores folders", async () => {
    const archive = buildZip([
      { name: "server/", method: 0, attributes: 0o040755 * 0x10000 + 0x10 },
      { name: "server/b.yml", content: "b: 1\n", attributes: 0o100644 * 0x10000 },
      { name: "a.yml", content: "a: 1\n", method: 0 },
      { name: "empty", content: "" },
      { name: "nothing", content: "", method: 0 },
    ]);
    assert.deepEqual(await filesOf(archive), {
      "a.yml": "a: 1\n",
      empty: "",
      nothing: "",
      "server/b.yml": "b: 1\n",
    });
  });

  it("reads archives written to a pipe, with sizes behind the data", async () => {
    const content = Buffer.from("streamed ".repeat(50));
    const size = deflateRawSync(content).length;
    const unknown = { crc: 0, compressedSize: 0, uncompressedSize: 0 };
    const trailer = descriptor(content, size);
    for (const each of [trailer, trailer.subarray(4)]) {
      const archive = buildZip([
        { name: "a", content, flags: 0x808, local: unknown, trailer: each },
        { name: "b", content, flags: 0x808, local: unknown, trailer: each },
      ]);
      assert.deepEqual(Object.keys(await filesOf(archive)), ["a", "b"]);
    }
  });

  it("reads names in UTF-8, announced or not, in DOS code page, and in a Unicode field", async () => {
    const name = Buffer.from("Gr\u00fc\u00dfe.txt");
    assert.deepEqual(await filesOf(buildZip([{ name, content: "x" }])), { "Grüße.txt": "x" });
    assert.deepEqual(await filesOf(buildZip([{ name, content: "x", flags: 0 }])), {
      "Grüße.txt": "x",
    });
    const inCodePage = Buffer.from([0x47, 0x72, 0x81, 0xe1, 0x65]);
    assert.deepEqual(await filesOf(buildZip([{ name: inCodePage, content: "x", flags: 0 }])), {
      Grüße: "x",
    });
    const checksum = Buffer.alloc(5);
    checksum.writeUInt8(1);
    checksum.writeUInt32LE(crc32(Buffer.from("Gr__e")), 1);
    const extra = extraField(0x7075, Buffer.concat([checksum, Buffer.from("Grüße")]));
    const archive = buildZip([{ name: "Gr__e", content: "x", flags: 0, extra }]);
    assert.deepEqual(await filesOf(archive), { Grüße: "x" });
  });

  it("puts letters and accents together that macOS takes apart", async () => {
    const archive = buildZip([{ name: "cafe\u0301.png", content: "x" }]);
    assert.deepEqual(await filesOf(archive), { "caf\u00e9.png": "x" });
  });

  it("takes archives inside an archive for files", async () => {
    const inner = buildZip([{ name: "../x", content: "x" }]);
    const reading = await readZip(buildZip([{ name: "inner.zip", content: inner }]));
    assert.ok(reading.ok);
    assert.deepEqual(reading.files.get("inner.zip"), inner);
  });

  it("accepts a comment and 2,000 files beside as many folders", async () => {
    const entries = Array.from({ length: 2_000 }, (_, i) => [
      { name: `d${i}/`, method: 0 },
      { name: `d${i}/f`, content: `${i}` },
    ]).flat();
    const reading = await readZip(buildZip(entries, { comment: Buffer.from("made by hand") }));
    assert.ok(reading.ok);
    assert.equal(reading.files.size, 2_000);
  });

  it("lets small files compress as well as they like", async () => {
    const archive = buildZip([{ name: "zeros", content: Buffer.alloc(1024 * 1024) }]);
    assert.ok(archive.length * COMPRESSION_RATIO_MAX < 1024 * 1024);
    assert.ok((await readZip(archive)).ok);
  });
});

/** Any valid path: most are plain, some have unusual characters. */
const anyPath = fc
  .array(
    fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9_-]{1,12}(\.(yml|png|json))?$/),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map((s) => s.normalize("NFC")),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((names) => names.join("/"))
  .filter((path) => pathProblem(path) === undefined);

const anyContent = fc.oneof(
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  fc.tuple(fc.nat(255), fc.nat(200_000)).map(([byte, length]) => Buffer.alloc(length, byte)),
);

const anySet = fc
  .array(fc.tuple(anyPath, anyContent), { minLength: 1, maxLength: 12 })
  .filter((files) => collisions(files.map(([path]) => path)).length === 0)
  .map((files) => new Map(files));

describe("any file set", () => {
  it("comes back byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(anySet, fc.date({ noInvalidDate: true }), async (files, date) => {
        const reading = await readZip(await writeZip(files, date));
        assert.ok(reading.ok, JSON.stringify(reading));
        assert.deepEqual(reading.files, files);
        assert.deepEqual([...reading.files.keys()], [...files.keys()].sort());
      }),
    );
  });
});

describe("any bytes", () => {
  it("end in an answer", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (bytes) => {
        assert.equal((await readZip(Buffer.from(bytes))).ok, false);
      }),
      { numRuns: 300 },
    );
  });

  const content = Buffer.from("some text that repeats, some text that repeats");
  const honest = buildZip([
    { name: "a/", method: 0 },
    { name: "a/é.yml", content, extra: extraField(0x5455, Buffer.alloc(5)) },
    { name: "b.yml", content, method: 0 },
    {
      name: "c.yml",
      content,
      flags: 0x808,
      local: { crc: 0, compressedSize: 0, uncompressedSize: 0 },
      trailer: descriptor(content, deflateRawSync(content).length),
    },
  ]);

  it("that once were an archive end in an answer, and never in other content under an old name", async () => {
    const original = await filesOf(honest);
    const contents = new Set(Object.values(original));
    const mutation = fc.record({ at: fc.nat(honest.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 4 }), async (mutations) => {
        const bytes = Buffer.from(honest);
        for (const { at, byte } of mutations) bytes[at] = byte;
        const reading = await readZip(bytes);
        if (!reading.ok) return;
        for (const file of reading.files.values()) assert.ok(contents.has(file.toString()));
      }),
      { numRuns: 2_000 },
    );
  });

  it("cut off an archive at any place are refused", async () => {
    for (let length = 0; length < honest.length; length += 1) {
      assert.equal((await readZip(honest.subarray(0, length))).ok, false, `at ${length}`);
    }
  });

  it("left out of an archive anywhere, or put into it, are refused", async () => {
    for (let at = 0; at < honest.length; at += 1) {
      const less = Buffer.concat([honest.subarray(0, at), honest.subarray(at + 1)]);
      const more = Buffer.concat([honest.subarray(0, at), Buffer.from("x"), honest.subarray(at)]);
      assert.equal((await readZip(less)).ok, false, `without byte ${at}`);
      assert.equal((await readZip(more)).ok, false, `with another at ${at}`);
    }
  });
});
