import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check, placeOf, summary } from "#test/support/check-configuration.ts";
import { FERRY } from "#test/support/configuration-mistakes.ts";
import { GOOD_FILES, goodFiles } from "#test/support/good-configuration.ts";

const GOOD = GOOD_FILES[FERRY] ?? "";

function changed(...changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `'${from}' is in the good file`);
    return text.replace(from, () => to);
  }, GOOD);
}

async function findingsOf(text: string, more: Record<string, string> = {}) {
  const findings = await check(goodFiles({ [FERRY]: text, ...more }));
  for (const { severity, message } of findings) assert.equal(severity, "warning", message);
  return summary(findings);
}

const TRAIN = ["type: air", "type: train"] as const;
const DEPARTURE = ['  departure: "{{ data.departure }}"\n', ""] as const;
const LOGO = "images: { icon: images/icon.png, logo: images/icon.png }";
const WITH_LOGO = ["images: { icon: images/icon.png }", LOGO] as const;

describe("what Google Wallet requires of a flight", () => {
  it("is a code of the carrier: a name and a logo alone give google.flight-carrier", async () => {
    const nameless = changed(["  carrier: HC\n", "  carrierName: Harbour Air\n"]);
    const found = [{ code: "google.flight-carrier", file: FERRY, ...placeOf(nameless, "transit") }];
    assert.deepEqual(await findingsOf(nameless), found);
    const withLogo = changed(["  carrier: HC\n", ""], WITH_LOGO);
    assert.deepEqual(
      (await findingsOf(withLogo)).map(({ code }) => code),
      ["google.flight-carrier"],
    );
  });

  for (const [carrier, isRight] of [
    ["LX", true],
    ["4U", true],
    ["SWR", true],
    ["lx", false],
    ["Swiss", false],
  ] as const) {
    it(`is a code of the carrier, as ${carrier} is${isRight ? "" : " not"}`, async () => {
      const text = changed(["carrier: HC", `carrier: ${carrier}`]);
      const found = { code: "google.flight-carrier", file: FERRY, ...placeOf(text, carrier) };
      assert.deepEqual(await findingsOf(text), isRight ? [] : [found]);
    });
  }

  for (const [number, isRight] of [
    ["15", true],
    ["HC15", true],
    ["HC 15", true],
    ["LX 15", false],
    ["15A", false],
    ["1 5", false],
  ] as const) {
    it(`is a number of digits, as '${number}' is${isRight ? "" : " not"}`, async () => {
      const text = changed(['number: "12"', `number: "${number}"`]);
      const found = { code: "google.flight-number", file: FERRY, ...placeOf(text, `"${number}"`) };
      assert.deepEqual(await findingsOf(text), isRight ? [] : [found]);
    });
  }

  it("is the code of IATA for each airport: 'zrh' gives google.airport-code", async () => {
    const text = changed(["origin: { code: LIS }", "origin: { code: zrh }"]);
    const found = { code: "google.airport-code", file: FERRY, ...placeOf(text, "zrh") };
    assert.deepEqual(await findingsOf(text), [found]);
  });

  it("may stand in a layout, and what comes with passes is not known yet", async () => {
    const text = changed(
      ["carrier: HC", "carrierName: HC"],
      ["code: LIS", 'code: "{{ pass.id }}"'],
    );
    const layout =
      "class: { flightHeader: { carrier: { carrierIataCode: HC }, flightNumber: '1' } }\n";
    assert.deepEqual(await findingsOf(text, { "layouts/ferry.google.yml": layout }), []);
  });
});

describe("an event or flight that only its time identifies", () => {
  it("gives google.time-identifies, and none with an id", async () => {
    const text = changed(['  id: "{{ data.journey }}"\n', ""]);
    const findings = await check(goodFiles({ [FERRY]: text }));
    const { line } = placeOf(text, '"{{ data.departure }}"');
    assert.deepEqual(
      findings.map((found) => [found.severity, found.code, found.file, found.line]),
      [["info", "google.time-identifies", FERRY, line]],
    );
    const fixed = text.replace('"{{ data.departure }}"', '"2027-05-01T20:00"');
    assert.deepEqual(await check(goodFiles({ [FERRY]: fixed })), []);
  });
});

describe("what Google Wallet requires of a journey by train, bus or boat", () => {
  const codes = async (...changes: readonly (readonly [string, string])[]) =>
    (await findingsOf(changed(TRAIN, WITH_LOGO, ...changes))).map(({ code }) => code);

  it("is an origin, with a name or code where the destination has one", async () => {
    assert.deepEqual(await codes(), []);
    const incomplete = ["google.leg-incomplete"];
    assert.deepEqual(await codes(["  origin: { code: LIS }\n", ""]), incomplete);
    assert.deepEqual(
      await codes(["origin: { code: LIS }", "origin: { name: Lisbon }"]),
      incomplete,
    );
    assert.deepEqual(await codes(["{ code: OPO }", "{ code: OPO, name: Porto }"]), incomplete);
    assert.deepEqual(await codes(["  destination: { code: OPO }\n", ""]), []);
  });

  it("is a departure, or an end of its validity", async () => {
    assert.deepEqual(await codes(DEPARTURE), ["google.leg-no-departure"]);
    assert.deepEqual(
      await codes(["fields:", "expiration: { after: P1D }\nfields:"], DEPARTURE),
      [],
    );
  });
});
