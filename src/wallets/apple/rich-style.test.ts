import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { renderInAllLanguages } from "#src/templates/template.render.ts";
import { sampleInput } from "#src/templates/template.sample.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import {
  EVENT_YML,
  FLIGHT_YML,
  GENERIC_YML,
  NFC_KEY,
  POSTER_EVENT_YML,
  RICH_FLIGHT_YML,
  TEMPLATE_FILES,
  toFiles,
} from "#test/support/template-files.ts";
import { buildPassJson, buildPassStrings } from "./apple.content.ts";
import { lintSample, lintTemplate } from "./apple.lint.ts";
import { nfcKeyProblem } from "./apple.proximity.ts";

const IDENTITY = { passTypeIdentifier: "pass.example.lune", teamIdentifier: "ABCDE12345" };

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of it.
type Json = any;

function build(passType: string, text: string, more: Readonly<Record<string, string>> = {}) {
  const path = `server/passes/${passType}.yml`;
  const { set, findings } = readTemplates(toFiles({ ...TEMPLATE_FILES, [path]: text, ...more }));
  assert.deepEqual(findings, []);
  const template = set.templates.get(passType);
  assert.ok(template !== undefined);
  const pass = renderInAllLanguages(template, sampleInput(template, { ...set.tenant, id: "acme" }));
  const json: Json = buildPassJson(template, pass, IDENTITY);
  const found = [...lintTemplate(template), ...lintSample(template, pass)];
  return { json, strings: buildPassStrings(pass), found, codes: found.map(({ code }) => code) };
}

describe("NFC and beacons of a template", () => {
  const near = `${GENERIC_YML}nfc: { message: "{{ pass.id }}", encryptionPublicKey: ${NFC_KEY}, requiresAuthentication: true }
beacons:
  - { uuid: 6e9e7d2a-6f3c-4b53-9c2b-0b4c2f3a1d11, major: 1, minor: 65535, text: "Welcome, {{ data.name }}" }
  - { uuid: 6E9E7D2A-6F3C-4B53-9C2B-0B4C2F3A1D12 }
`;

  it("stand in pass.json, filled in and translated", () => {
    const german = {
      "locales/de.yml": '"Welcome, {{ data.name }}": "Willkommen, {{ data.name }}"\n',
    };
    const { json, strings, codes } = build("library", near, german);
    assert.deepEqual(json.nfc, {
      message: "sample-pass-0001",
      encryptionPublicKey: NFC_KEY,
      requiresAuthentication: true,
    });
    const text = json.beacons[0].relevantText;
    assert.match(text, /^Welcome, ./);
    assert.deepEqual(json.beacons, [
      {
        proximityUUID: "6e9e7d2a-6f3c-4b53-9c2b-0b4c2f3a1d11",
        major: 1,
        minor: 65_535,
        relevantText: text,
      },
      { proximityUUID: "6E9E7D2A-6F3C-4B53-9C2B-0B4C2F3A1D12" },
    ]);
    assert.match(String(strings.tables.get("de")?.get(text)), /^Willkommen, /);
    assert.deepEqual(codes, []);
  });

  it("need a key of the readers, and a message that fits", () => {
    const keyless = build("library", near.replace(/encryptionPublicKey: \S+,/, ""));
    assert.deepEqual([keyless.json.nfc, keyless.codes], [undefined, ["apple.nfc-key-missing"]]);
    const long = build("library", near.replace('"{{ pass.id }}", enc', `"${"é".repeat(33)}", enc`));
    assert.deepEqual([long.json.nfc, long.codes], [undefined, ["apple.nfc-message"]]);
    assert.match(String(long.found[0]?.message), /66 bytes; Apple Wallet takes 64/);
    const most = build("library", near.replace('"{{ pass.id }}", enc', `"${"é".repeat(32)}", enc`));
    assert.equal(most.json.nfc.message, "é".repeat(32));
  });

  it("take only a compressed P-256 key in SubjectPublicKeyInfo", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    const spki = (key: typeof publicKey) => key.export({ format: "der", type: "spki" });
    const other = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey;
    const offCurve = Buffer.from(NFC_KEY, "base64").fill(0xff, 27);
    const pem = String(publicKey.export({ format: "pem", type: "spki" }));
    assert.equal(nfcKeyProblem(NFC_KEY), undefined);
    const wrong: readonly [string, RegExp][] = [
      [spki(publicKey).toString("base64"), /not compressed/],
      [spki(other).toString("base64"), /P-256/],
      [offCurve.toString("base64"), /P-256/],
      [Buffer.from(NFC_KEY, "base64").subarray(0, 58).toString("base64"), /P-256/],
      ["no key", /not base64/],
      ["AAAA", /P-256/],
      [pem, /PEM/],
    ];
    for (const [key, problem] of wrong) assert.match(String(nfcKeyProblem(key)), problem, key);
    const { codes } = build("library", near.replace(NFC_KEY, "AAAA"));
    assert.deepEqual(codes, ["apple.nfc-key"]);
  });
});

describe("the poster of an event", () => {
  it("is asked for by a template that gives all it needs", () => {
    const { json, codes } = build("event", POSTER_EVENT_YML);
    assert.deepEqual(json.preferredStyleSchemes, ["posterEventTicket", "eventTicket"]);
    const { venueName, venueRoom, venueRegionName, eventType, performerNames } = json.semantics;
    assert.deepEqual(
      [venueName, venueRoom, venueRegionName, eventType, performerNames],
      ["Lune Hall", "Main hall", "Zurich", "PKEventTypeLivePerformance", ["Ada", "The Moons"]],
    );
    assert.ok("eventTicket" in json);
    assert.deepEqual(codes, []);
  });

  it("of a match needs the short names of both teams", () => {
    const match = POSTER_EVENT_YML.replace("type: livePerformance", "type: sports");
    const { json, found } = build("event", match);
    assert.equal(json.preferredStyleSchemes, undefined);
    assert.match(
      String(found[0]?.message),
      /only with 'event.home.abbreviation' and 'event.away.abbreviation' as well/,
    );
    const teams = `event:\n  home: { name: FC Lune, abbreviation: LUN }\n  away: { name: SC Soleil, abbreviation: SOL }`;
    const whole = build("event", match.replace(/^event:/m, teams));
    assert.deepEqual(whole.json.preferredStyleSchemes?.[0], "posterEventTicket");
    assert.equal(whole.json.semantics.homeTeamName, "FC Lune");
  });

  it("says what is missing once a picture shows that it is wanted, and is silent otherwise", () => {
    assert.deepEqual(build("event", EVENT_YML).codes, []);
    const { json, found } = build(
      "event",
      EVENT_YML.replace("strip: images/strip", "artwork: images/strip"),
    );
    assert.equal(json.preferredStyleSchemes, undefined);
    const [finding] = found;
    assert.deepEqual(
      [finding?.code, finding?.severity, finding?.line],
      ["apple.style-incomplete", "warning", 6],
    );
    assert.match(
      String(finding?.message),
      /'event.region', 'event.room' and 'nfc.requiresAuthentication'/,
    );
  });
});

describe("the boarding pass of iOS 26", () => {
  it("is asked for by a template that gives all it needs", () => {
    const { json, codes } = build("flight", RICH_FLIGHT_YML);
    assert.deepEqual(json.preferredStyleSchemes, ["semanticBoardingPass", "boardingPass"]);
    const { semantics } = json;
    assert.equal(semantics.departureCityName, "Zurich");
    for (const name of ["LocationTimeZone", "AirportTimeZone"]) {
      assert.equal(semantics[`departure${name}`], "Europe/Zurich");
      assert.equal(semantics[`destination${name}`], "Europe/Lisbon");
    }
    assert.deepEqual(codes, []);
  });

  it("is not asked for with a time zone that does not exist, and the template is told so", () => {
    const wrong = RICH_FLIGHT_YML.replace("Europe/Lisbon", "Europe/Lisboa");
    const { json, codes } = build("flight", wrong);
    assert.equal(json.preferredStyleSchemes, undefined);
    assert.equal("destinationLocationTimeZone" in json.semantics, false);
    assert.deepEqual(codes, ["apple.time-zone", "apple.style-incomplete"]);
  });

  it("is for flights, and a classic flight is told nothing", () => {
    const train = RICH_FLIGHT_YML.replace("type: air", "type: train");
    const { json, found } = build("flight", train);
    assert.equal(json.preferredStyleSchemes, undefined);
    assert.match(String(found[0]?.message), /'transit.type: air'/);
    assert.deepEqual(build("flight", FLIGHT_YML).codes, []);
  });
});

describe("the poster of a card", () => {
  const fields = `${GENERIC_YML.replace("strip: images/strip", "artwork: images/strip")}  header: [ { key: h1, value: one }, { key: h2, value: two } ]
  secondary: [ { key: s1, value: a, align: right }, { key: s2, value: b }, { key: s3, value: c }, { key: s4, value: d } ]
  auxiliary: [ { key: a1, value: x }, { key: a2, value: y }, { key: a3, value: z } ]
  back: [ { key: terms, value: Terms } ]
`;
  const keys = (list: { key: string }[]) => list.map(({ key }) => key).join(" ");

  it("stands beside the classic style, and loses no field", () => {
    const { json } = build("library", fields);
    assert.ok("generic" in json);
    const { headerFields, primaryFields, footerFields, backFields } = json.posterGeneric;
    assert.deepEqual([headerFields, primaryFields, footerFields, backFields].map(keys), [
      "h1",
      "name s1 s2 s3",
      "a1 a2",
      "h2 s4 a3 terms",
    ]);
    assert.equal(primaryFields[1].textAlignment, undefined);
    assert.equal(json.generic.secondaryFields[0].textAlignment, "PKTextAlignmentRight");
  });

  it("follows the layout of the classic style, and gives way to a poster of the layout", () => {
    const laidOut = (text: string) =>
      build("library", fields, { "layouts/library.apple.yml": text }).json.posterGeneric;
    const back = laidOut("generic: { backFields: [ { key: own, value: Own } ] }\n").backFields;
    assert.equal(keys(back), "h2 s4 a3 own");
    assert.equal(laidOut("posterGeneric: null\n"), undefined);
    const own = laidOut("posterGeneric: { primaryFields: [ { key: own, value: Own } ] }\n");
    assert.deepEqual(own, { primaryFields: [{ key: "own", value: "Own" }] });
  });

  it("needs an artwork, and is not for tickets", () => {
    assert.equal(build("library", GENERIC_YML).json.posterGeneric, undefined);
    assert.equal(build("event", POSTER_EVENT_YML).json.posterGeneric, undefined);
  });
});
