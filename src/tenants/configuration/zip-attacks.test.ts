import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crc32, deflateRawSync } from "node:zlib";
import { readZip } from "#test/support/read-zip.ts";
import { startProcessorClock } from "#test/support/slowness.ts";
import {
  type AttackEntry,
  buildZip,
  extraField,
  localPart,
  zip64End,
} from "#test/support/zip-attacks.ts";

const MIB = 1024 * 1024;
const TIME_MAX_MS = 2_000;
const MEMORY_MAX_BYTES = 64 * MIB;
const text = "name: Acme\n";
const plain: AttackEntry = { name: "tenant.yml", content: text };

/** Asserts the reason for this path, and that little time and memory was used. */
async function refused(archive: Buffer, path: string, reason: RegExp): Promise<void> {
  const before = process.memoryUsage();
  const elapsedMs = startProcessorClock();
  const reading = await readZip(archive);
  const took = elapsedMs();
  const after = process.memoryUsage();
  assert.ok(!reading.ok, "is refused");
  assert.match((reading.problems[path] ?? []).join("; "), reason, JSON.stringify(reading.problems));
  assert.ok(took < TIME_MAX_MS, `took ${took} ms`);
  const grown = after.arrayBuffers + after.external - before.arrayBuffers - before.external;
  assert.ok(grown < MEMORY_MAX_BYTES, `grew by ${grown} bytes`);
}

const unix = (mode: number): number => mode * 0x10000;

describe("an archive with a name", () => {
  const names: [string, string, RegExp][] = [
    ["climbing out", "../evil.yml", /'\.\.'/],
    ["climbing out halfway", "a/../../b", /'\.\.'/],
    ["absolute", "/etc/passwd", /absolute/],
    ["on a drive", "C:/x", /absolute/],
    ["with backslashes", "..\\..\\x", /backslash/],
    ["on a drive with backslashes", "C:\\x", /backslash/],
    ["on a share", "\\\\host\\share", /backslash/],
    ["empty", "", /empty/],
    ["of a device", "server/nul.yml", /Windows/],
    ["called __proto__", "__proto__", /__proto__/],
    ["ending with a dot", "a./b", /dot or a space/],
    ["too deep", `${"a/".repeat(10)}b`, /deeper/],
  ];
  for (const [about, name, reason] of names) {
    it(`${about} is refused`, () =>
      refused(buildZip([plain, { name, content: "x" }]), name, reason));
  }

  it("with a NUL is refused", () =>
    refused(buildZip([{ name: "a.yml\0.png", content: "x" }]), "a.yml\\u0000.png", /shown/));

  it("that is not the UTF-8 it says it is is refused", () =>
    refused(buildZip([{ name: Buffer.from([0x61, 0xff]), content: "x" }]), "a\\ufffd", /shown/));

  it("hidden in a Unicode field is judged by that one", () => {
    const head = Buffer.alloc(5, 1);
    head.writeUInt32LE(crc32(Buffer.from("good.yml")), 1);
    const extra = extraField(0x7075, Buffer.concat([head, Buffer.from("../bad")]));
    const archive = buildZip([{ name: "good.yml", content: "x", flags: 0, extra }]);
    return refused(archive, "../bad", /'\.\.'/);
  });

  it("as long as the format allows is refused", async () => {
    const reading = await readZip(buildZip([{ name: "x".repeat(65_535), content: "x" }]));
    assert.ok(!reading.ok);
    assert.ok(JSON.stringify(reading.problems).length < 1_000);
  });

  it("of a folder climbing out is refused", () =>
    refused(buildZip([plain, { name: "../", method: 0 }]), "../", /'\.\.'/));

  it("that is the root folder is refused", () =>
    refused(buildZip([plain, { name: "/", method: 0 }]), "/", /empty/));
});

describe("an archive with the same name", () => {
  const both = (first: string, second: string) =>
    buildZip([
      { name: first, content: "x" },
      { name: second, content: "y" },
    ]);

  it("twice is refused", () => refused(both("a.yml", "a.yml"), "a.yml", /twice/));
  it("in another case is refused", () => refused(both("a.yml", "A.yml"), "A.yml", /collides/));
  it("in another normal form is refused", () =>
    refused(both("\u00e9", "e\u0301"), "\u00e9", /twice/));
  it("in another case and form is refused", () =>
    refused(both("\u00c9", "e\u0301"), "\u00e9", /collides/));
  it("for a file and a folder is refused", () => refused(both("a", "a/b"), "a/b", /collides/));
});

describe("an archive with something that is not a file", () => {
  for (const [about, mode] of [
    ["symbolic link", 0o120777],
    ["named pipe", 0o010644],
    ["socket", 0o140755],
    ["device", 0o020644],
    ["folder without a slash", 0o040755],
  ] as const) {
    it(`(${about}) is refused`, () => {
      const link = { name: "link", content: "/etc/passwd", attributes: unix(mode) };
      return refused(buildZip([plain, link]), "link", /not a file/);
    });
  }

  it("(link called like a folder) is refused", () =>
    refused(
      buildZip([plain, { name: "link/", method: 0, attributes: unix(0o120777) }]),
      "link/",
      /not a file/,
    ));

  it("(folder with content) is refused", () =>
    refused(buildZip([plain, { name: "a/", content: "x" }]), "a/", /folder with content/));
});

describe("a bomb", () => {
  const zeros = Buffer.alloc(20 * MIB);

  it("in one file is refused", () =>
    refused(buildZip([{ name: "a", content: zeros }]), "a", /expands to more than 100/));

  it("beyond the size of a file is refused", () => {
    const big = { name: "a", content: Buffer.alloc(20 * MIB + 1), method: 0 };
    return refused(buildZip([big]), "a", /larger than 20 MiB/);
  });

  it("of many small files is refused", () => {
    const content = Buffer.alloc(1_000_000);
    const data = deflateRawSync(content);
    const crc = crc32(content);
    const entry = { data, crc, uncompressedSize: content.length };
    const entries = Array.from({ length: 100 }, (_, i) => ({ name: `${i}`, ...entry }));
    return refused(buildZip(entries), "archive", /expands to more than 100/);
  });

  it("beyond the size of a set is refused before anything is inflated", () => {
    const data = Buffer.alloc(300_000, 0xff);
    const entry = { data, uncompressedSize: 20 * MIB };
    const entries = Array.from({ length: 6 }, (_, i) => ({ name: `${i}`, ...entry }));
    return refused(buildZip(entries), "archive", /more than 100 MiB/);
  });

  it("that declares a small size is stopped at that size", () => {
    const lie = { name: "a", content: zeros, uncompressedSize: 1_000 };
    return refused(buildZip([lie]), "a", /damaged/);
  });

  it("of entries that share their data is refused", () => {
    const content = Buffer.alloc(900_000, "ab");
    const body = { content };
    const count = 100;
    const first = { name: "0", ...body };
    const entries = Array.from({ length: count }, (_, i) =>
      i === 0 ? first : { name: `${i}`, ...body, offset: 0 },
    );
    return refused(buildZip(entries), "archive", /expands to more than 100/);
  });

  it("of entries quoting each other's headers is refused", () => {
    // Entry a starts with a stored block that is the header of entry b. Both use the same data.
    const kernel = deflateRawSync(Buffer.alloc(50_000));
    const inner: AttackEntry = { name: "b", data: kernel, crc: 1, uncompressedSize: 50_000 };
    const header = localPart({ ...inner, data: Buffer.alloc(0), compressedSize: kernel.length });
    const quote = Buffer.concat([
      Buffer.from([0, header.length, 0, ~header.length & 0xff, 0xff]),
      header,
    ]);
    const outer: AttackEntry = {
      name: "a",
      data: Buffer.concat([quote, kernel]),
      crc: 1,
      uncompressedSize: 50_000 + header.length,
    };
    const offset = 30 + 1 + 5;
    return refused(buildZip([outer, { ...inner, offset }]), "a", /overlaps/);
  });

  it("of too many files is refused", () => {
    const entries = Array.from({ length: 2_001 }, (_, i) => ({ name: `${i}`, method: 0 }));
    return refused(buildZip(entries), "archive", /more than 2000 files/);
  });

  it("of folders without end is refused", () => {
    const entries = Array.from({ length: 4_001 }, (_, i) => ({ name: `${i}/`, method: 0 }));
    return refused(buildZip(entries), "archive", /more than 2000 files/);
  });
});

describe("an archive that lies", () => {
  const content = Buffer.from("content ".repeat(100));
  const cases: [string, AttackEntry, RegExp][] = [
    ["with a size too small", { name: "a", content, uncompressedSize: 799 }, /damaged/],
    ["with a size too large", { name: "a", content, uncompressedSize: 801 }, /damaged/],
    ["with no size", { name: "a", content, uncompressedSize: 0 }, /damaged/],
    ["with a wrong checksum", { name: "a", content, crc: 1 }, /damaged/],
    [
      "with a wrong checksum of a stored file",
      { name: "a", content, crc: 1, method: 0 },
      /damaged/,
    ],
    ["with two sizes", { name: "a", content, method: 0, uncompressedSize: 1 }, /two different/],
    [
      "with data that cannot be inflated",
      { name: "a", content, data: Buffer.alloc(9, 255) },
      /damaged/,
    ],
    [
      "with data behind the end of the data",
      { name: "a", content, data: Buffer.concat([deflateRawSync(content), Buffer.from("more")]) },
      /damaged/,
    ],
    [
      "with data that ends too early",
      { name: "a", content, data: deflateRawSync(content).subarray(0, -3) },
      /damaged/,
    ],
    ["about a name", { name: "a", content, local: { name: "b" } }, /differently/],
    ["about a method", { name: "a", content, local: { method: 0 } }, /differently/],
    ["about its flags", { name: "a", content, local: { flags: 0x801 } }, /differently/],
    ["about a checksum", { name: "a", content, local: { crc: 1 } }, /differently/],
    ["about a size", { name: "a", content, local: { uncompressedSize: 1 } }, /differently/],
    ["about a packed size", { name: "a", content, local: { compressedSize: 1 } }, /differently/],
  ];
  for (const [about, entry, reason] of cases) {
    it(`${about} is refused`, () => refused(buildZip([plain, entry]), "a", reason));
  }

  it("about where a file is is refused", async () => {
    const reading = await readZip(buildZip([plain, { name: "a", content, offset: 3 }]));
    assert.ok(!reading.ok);
  });

  it("with data beyond its end is refused", () =>
    refused(buildZip([{ name: "a", content, compressedSize: 100_000 }]), "archive", /damaged/));

  it("with a file reaching into the directory is refused", () => {
    const data = deflateRawSync(content);
    const entry = { name: "a", content, data, compressedSize: data.length + 10 };
    return refused(buildZip([entry]), "a", /overlaps/);
  });
});

describe("an archive that cannot be read", () => {
  it("because it is encrypted is refused", () =>
    refused(buildZip([{ ...plain, flags: 0x801 }]), "tenant.yml", /encrypted/));
  it("because its headers are masked is refused", () =>
    refused(buildZip([{ ...plain, flags: 0x2801 }]), "tenant.yml", /encrypted/));
  it("because it is strongly encrypted is refused", () =>
    refused(buildZip([{ ...plain, flags: 0x841 }]), "archive", /encryption/));
  for (const method of [1, 6, 9, 12, 14, 93, 95, 98, 99]) {
    it(`because of compression method ${method} is refused`, () =>
      refused(buildZip([{ ...plain, method }]), "tenant.yml", /other than deflate/));
  }
  it("because it is empty is refused", () => refused(buildZip([]), "archive", /no files/));
  it("because it holds folders only is refused", () =>
    refused(buildZip([{ name: "a/", method: 0 }]), "archive", /no files/));
  it("because there is nothing is refused", () =>
    refused(Buffer.alloc(0), "archive", /not a ZIP archive/));
  it("because it is something else is refused", () =>
    refused(Buffer.from("x".repeat(100_000)), "archive", /not a ZIP archive/));
});

describe("an archive with more than files", () => {
  const junk = Buffer.from("#!/bin/sh\n");

  it("before them is refused", () =>
    refused(buildZip([plain], { before: junk }), "archive", /before its first file/));
  it("before them, unannounced, is refused", async () => {
    assert.equal((await readZip(Buffer.concat([junk, buildZip([plain])]))).ok, false);
  });
  it("between them is refused", () =>
    refused(
      buildZip([{ ...plain, trailer: junk }, { name: "b" }]),
      "archive",
      /between its files/,
    ));
  it("before its directory is refused", () =>
    refused(buildZip([plain], { beforeDirectory: junk }), "archive", /between its files/));
  it("before its end is refused", () =>
    refused(buildZip([plain], { beforeEnd: junk }), "archive", /its directory and its end/));
  it("behind its end is refused", () =>
    refused(buildZip([plain], { after: junk }), "archive", /damaged/));
  it("in a comment that looks like another end is refused", () =>
    refused(
      buildZip([plain], { comment: buildZip([]) }),
      "archive",
      /its directory and its end|no files/,
    ));
  it("listed than it says is refused", () =>
    refused(buildZip([plain, { name: "b" }], { count: 1 }), "archive", /fewer files/));
  it("promised than listed is refused", () =>
    refused(buildZip([plain], { count: 2 }), "archive", /damaged/));
  it("on other disks is refused", async () => {
    await refused(buildZip([plain], { disk: 1 }), "archive", /multi-disk/);
    await refused(buildZip([plain], { countOnDisk: 3 }), "archive", /split/);
  });
});

describe("an archive in the ZIP64 format", () => {
  it("is refused", () => {
    const bare = buildZip([plain]);
    const listAt = bare.indexOf("PK\x01\x02");
    const endAt = bare.indexOf("PK\x05\x06");
    const beforeEnd = zip64End(1, endAt - listAt, listAt, endAt);
    return refused(buildZip([plain], { beforeEnd }), "archive", /ZIP64/);
  });

  it("that announces more files than there can be is refused at once", () => {
    const bare = buildZip([plain]);
    const endAt = bare.indexOf("PK\x05\x06");
    const beforeEnd = zip64End(2 ** 52, 1, 0, endAt);
    return refused(buildZip([plain], { beforeEnd }), "archive", /more than 2000 files/);
  });

  it("that points beyond its end is refused", () => {
    const beforeEnd = zip64End(1, 1, 0, 2 ** 52);
    return refused(buildZip([plain], { beforeEnd }), "archive", /damaged/);
  });

  it("for one entry is refused", () => {
    const sizes = Buffer.alloc(16);
    sizes.writeBigUInt64LE(BigInt(text.length), 0);
    const extra = extraField(1, sizes);
    const entry = {
      ...plain,
      method: 0,
      compressedSize: text.length,
      uncompressedSize: 0xffffffff,
    };
    return refused(buildZip([{ ...entry, extra }]), "tenant.yml", /ZIP64/);
  });

  it("with sizes that are nowhere is refused", () =>
    refused(
      buildZip([{ ...plain, uncompressedSize: 0xffffffff }]),
      "tenant.yml",
      /larger than 20/,
    ));

  it("with a field too short for its sizes is refused", () => {
    const entry = { ...plain, uncompressedSize: 0xffffffff, extra: extraField(1, Buffer.alloc(3)) };
    return refused(buildZip([entry]), "archive", /damaged/);
  });

  it("or any other with extra fields that overflow is refused", () =>
    refused(buildZip([{ ...plain, extra: Buffer.from([1, 2, 255, 255]) }]), "archive", /damaged/));
});
