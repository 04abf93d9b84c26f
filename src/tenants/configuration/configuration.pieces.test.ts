import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { writeZip, zipSizeBytes } from "#src/files/public.ts";
import { jsonPieces } from "./configuration.pieces.ts";
import { decodeFile, presentFiles } from "./configuration.schema.ts";

async function joined(files: Map<string, Buffer>): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of jsonPieces({ tenantId: "acme", version: 3, files })) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString());
}

describe("a configuration in pieces", () => {
  it("is the same JSON as a whole one", async () => {
    const files = new Map([
      ["tenant.yml", Buffer.from('name: "Café"\n')],
      ["branding/empty", Buffer.alloc(0)],
      ["branding/long.txt", Buffer.from('😀"\n'.repeat(700_000))],
      ["images/a.png", Buffer.alloc(2_000_001, 0xfe)],
      ["images/b.png", Buffer.from([0xff])],
    ]);
    assert.deepEqual(await joined(files), {
      tenantId: "acme",
      version: 3,
      files: presentFiles(files),
    });
  });

  it("knows the size of an archive before it is written", async () => {
    const files = new Map([
      ["tenant.yml", Buffer.from("name: Acme\n")],
      ["images/é.png", Buffer.alloc(1_000)],
    ]);
    assert.equal((await writeZip(files, new Date(0))).length, zipSizeBytes(files));
    assert.equal((await writeZip(new Map(), new Date(0))).length, zipSizeBytes(new Map()));
  });
});

describe("base64 as it is sent", () => {
  const decoded = (base64: string) => decodeFile({ base64 });

  it("gives the bytes, and nothing where encoding them again would give another text", () => {
    const texts = fc.oneof(
      fc.base64String(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")),
      fc.string({ unit: fc.constantFrom(..."Aa+/-_= \nÿ"), maxLength: 12 }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = Buffer.from(text, "base64");
        assert.deepEqual(decoded(text), bytes.toString("base64") === text ? bytes : undefined);
      }),
    );
  });
});
