import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check, placeOf, summary } from "#test/support/check-configuration.ts";
import { CLUB, FERRY, MISTAKES } from "#test/support/configuration-mistakes.ts";
import { GOOD_FILES, goodFiles, picture } from "#test/support/good-configuration.ts";
import { startProcessorClock } from "#test/support/slowness.ts";
import { NFC_KEY } from "#test/support/template-files.ts";

describe("a configuration", () => {
  it("gives no finding at all when it is good", async () => {
    assert.deepEqual(await check(goodFiles()), []);
  });

  for (const { title, file, from, to, code, at, leavesUnused } of MISTAKES) {
    it(`with ${title} gives ${code} at its place`, async () => {
      const good = GOOD_FILES[file] ?? "";
      assert.ok(good.includes(from), `'${from}' is not in the good file`);
      const broken = good.replace(from, () => to);

      const findings = await check(goodFiles({ [file]: broken }));

      const found = summary(findings).filter(
        (each) => !(leavesUnused === true && each.code === "locale.unused"),
      );
      assert.deepEqual(found, [{ code, file, ...placeOf(broken, at) }]);
      for (const { message, hint } of findings) {
        assert.match(message, /^\S.*\.$/);
        assert.match(hint, /^\S.*[.?]$/);
      }
    });
  }

  const OUT_OF_BOUNDS = {
    "value: -5": "-5",
    "value: 3, minimum: 4": "3, minimum: 4",
    "value: 11, maximum: 10": "11, maximum: 10",
    "minimum: 2, maximum: 1": "2, maximum: 1",
    "maximum: -1": "-1",
    "minimum: 2.75": "2.75",
  };
  for (const [bounds, at] of Object.entries(OUT_OF_BOUNDS)) {
    it(`with a privilege of ${bounds} gives privilege.out-of-bounds at its place`, async () => {
      const broken = (GOOD_FILES[CLUB] ?? "").replace("value: 0, minimum: 0", bounds);
      const findings = await check(goodFiles({ [CLUB]: broken }));
      const code = "privilege.out-of-bounds";
      assert.deepEqual(summary(findings), [{ code, file: CLUB, ...placeOf(broken, at) }]);
    });
  }

  it("with several of a OneTime privilege gives privilege.one-time-value, a warning", async () => {
    const broken = (GOOD_FILES[CLUB] ?? "").replace(
      "type: MultiUse, value: 0, minimum: 0",
      "type: OneTime, value: 5",
    );
    const findings = await check(goodFiles({ [CLUB]: broken }));
    const code = "privilege.one-time-value";
    assert.deepEqual(summary(findings), [{ code, file: CLUB, ...placeOf(broken, "5 }") }]);
    assert.equal(findings[0]?.severity, "warning");
  });

  for (const number of ["0.00001", "1e15"]) {
    it(`with a privilege of ${number} gives privilege.inexact-number at its place`, async () => {
      const broken = (GOOD_FILES[CLUB] ?? "").replace(
        "value: 0, minimum",
        `value: ${number}, minimum`,
      );
      const findings = await check(goodFiles({ [CLUB]: broken }));
      const code = "privilege.inexact-number";
      assert.deepEqual(summary(findings), [{ code, file: CLUB, ...placeOf(broken, number) }]);
    });
  }

  it("gives a privilege that may fall below zero no finding", async () => {
    const text = (GOOD_FILES[CLUB] ?? "").replace("value: 0, minimum: 0", "value: -5, minimum: -9");
    assert.deepEqual(await check(goodFiles({ [CLUB]: text })), []);
  });

  const NEAR_AND_RICH: Readonly<Record<string, readonly [file: string, to: string, at: string]>> = {
    "apple.nfc-key": [CLUB, "nfc: { message: a, encryptionPublicKey: AAAA }", "AAAA"],
    "apple.nfc-key-missing": [CLUB, "nfc: { message: a }", "nfc"],
    "apple.nfc-message": [
      CLUB,
      `nfc: { message: "${"m".repeat(65)}", encryptionPublicKey: "${NFC_KEY}" }`,
      `"${"m".repeat(65)}"`,
    ],
    "apple.style-incomplete": [
      FERRY,
      "images: { icon: images/icon.png, primaryLogo: images/strip.png }",
      "images/strip.png",
    ],
    "image.wrong-slot": [
      CLUB,
      "icon: images/icon.png\n  primaryLogo: images/strip.png",
      "images/strip.png",
    ],
    "apple.time-zone": [FERRY, "destination: { code: OPO, city: Porto, timeZone: Mars }", "Mars"],
    "template.unknown-status": [FERRY, '  number: "12"\n  status: tardy', "tardy"],
    "template.unknown-time-zone": [
      FERRY,
      "    - { key: from, label: From, value: '2027-05-01', format: { time: short, timeZone: Mars } }",
      "Mars",
    ],
    "schema.out-of-range": [
      CLUB,
      `beacons: [${'{ uuid: "6e9e7d2a-6f3c-4b53-9c2b-0b4c2f3a1d11" }, '.repeat(11)}]`,
      "[{ uuid",
    ],
  };
  for (const [code, [file, line, at]] of Object.entries(NEAR_AND_RICH)) {
    it(`with '${line.slice(0, 60)}' gives ${code}`, async () => {
      const good = GOOD_FILES[file] ?? "";
      const [member = ""] = line.split(":", 1);
      const known = new RegExp(`^( *)${member}: .*$`, "m");
      const broken = known.test(good)
        ? good.replace(known, (_, indent) => `${indent}${line}`)
        : `${good}${line}\n`;
      const findings = await check(goodFiles({ [file]: broken }));
      const found = summary(findings).find((each) => each.code === code);
      assert.deepEqual(found, { code, file, ...placeOf(broken, at) }, JSON.stringify(findings));
      for (const { message, hint } of findings) {
        assert.match(message, /^\S.*\.$/);
        assert.match(hint, /^\S.*[.?]$/);
      }
    });
  }

  const UNREADABLE = {
    "YAML that is broken": "name: Harbour: Card",
    "a property that is missing": "",
    "Liquid that is broken": "name: Harbour Card\nlogoText: '{{ data.tier'",
  };
  for (const [about, name] of Object.entries(UNREADABLE)) {
    it(`with ${about} in a template does not call its pictures and texts unused`, async () => {
      const broken = (GOOD_FILES[CLUB] ?? "").replace("name: Harbour Card", () => name);
      const findings = await check(goodFiles({ [CLUB]: broken }));
      assert.deepEqual([...new Set(findings.map(({ file }) => file))], [CLUB]);
    });
  }

  it("with templates that take too long does not call their pictures unused either", async () => {
    const rest = "{% for i in (1..1000) %}".repeat(6) + "{% endfor %}".repeat(6);
    const fields = Array.from({ length: 20 }, (_, at) => `    - { key: x${at}, value: "${rest}" }`);
    const slow = (GOOD_FILES[CLUB] ?? "").replace("  back:", () => `  back:\n${fields.join("\n")}`);
    const many = Array.from({ length: 30 }, (_, at) => [`server/passes/p${at}.yml`, slow]);
    const findings = await check(goodFiles(Object.fromEntries([[CLUB, slow], ...many])));
    assert.ok(findings.some(({ severity }) => severity === "error"));
    assert.deepEqual(
      findings.filter(({ code }) => code.endsWith(".unused")),
      [],
    );
  });

  it("with stores that cannot be read does not say that there are none", async () => {
    const findings = await check(goodFiles({ "server/stores.yml": "stores: [" }));
    assert.deepEqual([...new Set(findings.map(({ file }) => file))], ["server/stores.yml"]);
  });

  it("with a file nobody reads gives file.unknown-settings", async () => {
    const findings = await check(goodFiles({ "server/aple.yml": "a: b\n" }));
    assert.deepEqual(summary(findings), [
      { code: "file.unknown-settings", file: "server/aple.yml", line: null, column: null },
    ]);
  });

  it("with more YAML than is ever read gives file.too-much-yaml, at once", async () => {
    const text = `a: ${"x".repeat(200_000)}\n`;
    const many = Array.from({ length: 30 }, (_, at) => [`server/passes/p${at}.yml`, text]);
    const elapsedMs = startProcessorClock();
    const findings = await check(goodFiles(Object.fromEntries(many)));
    assert.deepEqual(
      findings.map(({ code }) => code),
      ["file.too-much-yaml"],
    );
    assert.ok(elapsedMs() < 100);
  });

  it("with a small icon gives image.too-small where Google shows it, and not for a flight", async () => {
    const icon = await picture(114, 114);
    const findings = await check(goodFiles({ "images/icon.png": icon }));
    assert.deepEqual(
      findings.map(({ code, file }) => [code, file]),
      [["image.too-small", CLUB]],
    );
  });

  it("with a damaged image gives image.damaged at each template", async () => {
    const whole = goodFiles().get("images/strip.png") ?? Buffer.alloc(0);
    const findings = await check(goodFiles({ "images/icon.png": whole.subarray(0, 40) }));
    assert.deepEqual(
      findings.map(({ code, file }) => [code, file]),
      [
        ["image.damaged", CLUB],
        ["image.damaged", FERRY],
      ],
    );
  });
});
