import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { deflateRawSync } from "node:zlib";
import { startStopwatch } from "#test/support/slowness.ts";
import { shareApi } from "#test/support/start-api.ts";
import { type AttackEntry, buildZip } from "#test/support/zip-attacks.ts";

const MIB = 1024 * 1024;
const SETTINGS = "name: Acme\n";
const settings: AttackEntry = { name: "tenant.yml", content: SETTINGS };
const LINK = 0o120777 * 0x10000;
const TIME_MAX_MS = 2_000;
const TRIES_MAX = 3;
const GROWTH_BYTES_MAX = 200 * MIB;

const bomb = deflateRawSync(Buffer.alloc(15 * MIB), { level: 9 });

const ARCHIVES: Readonly<Record<string, Buffer>> = {
  "a path that climbs": buildZip([settings, { name: "a/../../b", content: "x" }]),
  "an absolute path": buildZip([settings, { name: "/etc/passwd", content: "x" }]),
  "a backslash": buildZip([settings, { name: "..\\x", content: "x" }]),
  "a link": buildZip([settings, { name: "images/l", content: "/etc/passwd", attributes: LINK }]),
  "a name twice": buildZip([
    settings,
    { name: "images/a", content: "1" },
    { name: "images/a", content: "2" },
  ]),
  "names that differ in case": buildZip([
    settings,
    { name: "images/a", content: "1" },
    { name: "images/A", content: "2" },
  ]),
  "a bomb": buildZip(
    Array.from({ length: 6 }, (_, index) => ({
      name: `images/${index}`,
      method: 8,
      data: bomb,
      content: Buffer.alloc(15 * MIB),
    })),
  ),
  "a nested archive in place of settings": buildZip([
    { name: "tenant.yml", content: buildZip([settings]) },
  ]),
  "an encrypted file": buildZip([{ ...settings, flags: 1 }]),
  "a truncated archive": buildZip([settings]).subarray(0, -10),
  "a size that lies": buildZip([{ ...settings, uncompressedSize: 5 }]),
  "nothing at all": buildZip([]),
};

const template = (value: string) => `kind: generic
name: Card
organization: Acme
description: Card
colors: { background: "#000000", foreground: "#ffffff", label: "#ffffff" }
images: { icon: images/icon.png }
fields:
  primary: [ { key: a, label: A, value: ${JSON.stringify(value)} } ]
`;

const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "YAML aliases that multiply": {
    "tenant.yml": `name: x\na: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n`,
  },
  "a YAML tag": { "tenant.yml": "name: !!js/function 'x'\n" },
  "a YAML key twice": { "tenant.yml": "name: a\nname: b\n" },
  "a YAML file of a megabyte": { "tenant.yml": `name: a\n#${"x".repeat(MIB)}\n` },
  "YAML nested without end": { "tenant.yml": `name: ${"[".repeat(50_000)}\n` },
  "a loop without end": {
    "server/passes/a.yml": template("{% for i in (1..1000000000) %}x{% endfor %}"),
  },
  "loops in loops": {
    "server/passes/a.yml": template(
      `${"{% for i in (1..1000) %}".repeat(6)}x${"{% endfor %}".repeat(6)}`,
    ),
  },
  "output without end": {
    "server/passes/a.yml": template(
      `{% assign s = 'xxxxxxxxxxxxxxxx' %}${"{% assign s = s | append: s %}".repeat(40)}{{ s }}`,
    ),
  },
  "a look at the prototype": {
    "server/passes/a.yml": template("{{ data.constructor.constructor }}{% include 'x' %}"),
  },
  "the inclusion of a file": { "server/passes/a.yml": template("{% render '/etc/passwd' %}") },
};

describe("a hostile configuration", () => {
  const api = shareApi();
  before(async () => {
    await api().seed.tenant("acme");
    // The first examination starts a process, which takes longer than all later ones.
    await examineHarmless();
  });

  async function examineHarmless(): Promise<void> {
    const files = { "tenant.yml": SETTINGS, "server/passes/a.yml": template("harmless") };
    const key = api().operatorKey;
    assert.equal((await api().put("/api/tenants/acme", { key, body: { files } })).status, 400);
  }

  async function refused(send: () => Promise<{ status: number; text: string }>): Promise<void> {
    const memory = process.memoryUsage().rss;
    let took = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES_MAX && took >= TIME_MAX_MS; tries += 1) {
      const elapsedMs = startStopwatch();
      const { status, text } = await send();
      took = elapsedMs();
      assert.equal(status, 400, text);
    }
    assert.ok(took < TIME_MAX_MS, `took ${Math.round(took)} ms`);
    assert.ok(process.memoryUsage().rss - memory < GROWTH_BYTES_MAX);
    const now = await api().get("/api/tenants/acme", {
      key: api().operatorKey,
      headers: { accept: "application/json" },
    });
    assert.equal(now.body.version, 1);
    assert.deepEqual(Object.keys(now.body.files), ["tenant.yml"]);
  }

  for (const [about, rawBody] of Object.entries(ARCHIVES)) {
    it(`400: ${about} in an archive, in time, and the published version stays`, () =>
      refused(() =>
        api().put("/api/tenants/acme", {
          key: api().operatorKey,
          rawBody: new Uint8Array(rawBody),
          headers: { "content-type": "application/zip" },
        }),
      ));
  }

  for (const [about, files] of Object.entries(FILES)) {
    it(`400: ${about}, in time, and the published version stays`, () =>
      refused(() =>
        api().put("/api/tenants/acme", {
          key: api().operatorKey,
          body: { files: { "tenant.yml": SETTINGS, ...files } },
        }),
      ));
  }
});
