import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodingFor } from "#src/templates/language/public.ts";
import { renderInAllLanguages } from "#src/templates/template.render.ts";
import { sampleInput } from "#src/templates/template.sample.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import {
  EVENT_YML,
  FLIGHT_YML,
  LOYALTY_YML,
  TEMPLATE_FILES,
  TRAIN_YML,
  toFiles,
} from "#test/support/template-files.ts";
import {
  type AppleIdentity,
  buildPassJson,
  buildPassStrings,
  formatStrings,
} from "./apple.content.ts";

const IDENTITY = {
  passTypeIdentifier: "pass.example.lune",
  teamIdentifier: "ABCDE12345",
  service: { url: "https://example.com/wallet", authenticationToken: "0123456789abcdef" },
};

function build(
  passType: string,
  files: Readonly<Record<string, string>> = {},
  identity: AppleIdentity = IDENTITY,
) {
  const { set } = readTemplates(toFiles({ ...TEMPLATE_FILES, ...files }));
  const template = set.templates.get(passType);
  assert.ok(template !== undefined);
  const pass = renderInAllLanguages(template, sampleInput(template, { ...set.tenant, id: "acme" }));
  return { pass, json: buildPassJson(template, pass, identity) };
}

describe("buildPassJson", () => {
  const styles: readonly [string, string][] = [
    ["loyalty", "storeCard"],
    ["coupon", "coupon"],
    ["event", "eventTicket"],
    ["flight", "boardingPass"],
    ["train", "boardingPass"],
    ["gift", "storeCard"],
    ["library", "generic"],
  ];
  for (const [passType, style] of styles) {
    it(`gives ${passType} everything Apple requires, as ${style}`, () => {
      const { json, pass } = build(passType);
      assert.deepEqual(pass.main.problems, []);
      assert.equal(json.formatVersion, 1);
      for (const name of ["passTypeIdentifier", "serialNumber", "teamIdentifier"]) {
        assert.equal(typeof json[name], "string", name);
      }
      assert.ok(json.organizationName !== "" && json.description !== "");
      const all = ["boardingPass", "coupon", "eventTicket", "generic", "storeCard"];
      assert.deepEqual(
        all.filter((name) => name in json),
        [style],
      );
      const fields = Object.values(json[style] as Record<string, unknown>)
        .filter(Array.isArray)
        .flat() as { key: string; value: unknown }[];
      assert.ok(fields.length > 0);
      assert.ok(fields.every(({ key, value }) => key !== "" && value !== undefined));
      assert.equal(new Set(fields.map(({ key }) => key)).size, fields.length);
      assert.deepEqual(JSON.parse(JSON.stringify(json)), json);
    });
  }

  it("writes a loyalty card as Apple's documentation says", () => {
    const { json } = build("loyalty");
    assert.deepEqual(json, {
      formatVersion: 1,
      passTypeIdentifier: "pass.example.lune",
      teamIdentifier: "ABCDE12345",
      serialNumber: "sample-pass-0001",
      webServiceURL: "https://example.com/wallet",
      authenticationToken: "0123456789abcdef",
      organizationName: "Café Lune",
      description: "Gold Club card",
      backgroundColor: "rgb(31, 42, 68)",
      foregroundColor: "rgb(255, 255, 255)",
      labelColor: "rgb(201, 211, 234)",
      barcodes: [QR],
      barcode: QR,
      locations: [{ latitude: 47.37, longitude: 8.54, relevantText: "Lune Zurich" }],
      expirationDate: "2028-01-15T09:30:00.000Z",
      storeCard: {
        headerFields: [
          { key: "points", label: "Points", value: "0", changeMessage: "You now have %@ points" },
        ],
        primaryFields: [{ key: "name", label: "Member", value: "Alexandra" }],
        secondaryFields: [
          {
            key: "since",
            label: "Member since",
            value: "2026-06-15T00:00:00+02:00",
            dateStyle: "PKDateStyleMedium",
            timeStyle: "PKDateStyleNone",
            ignoresTimeZone: true,
          },
          {
            key: "number",
            label: "Number",
            value: "100200300",
            textAlignment: "PKTextAlignmentRight",
          },
        ],
        backFields: [
          { key: "terms", label: "Terms", value: "Bring this card." },
          { key: "site", label: "Website", value: "https://lune.example/" },
        ],
      },
    });
  });

  const QR = {
    format: "PKBarcodeFormatQR",
    message: "sample-pass-0001",
    messageEncoding: "iso-8859-1",
    altText: "100200300",
  };

  it("writes percent signs of change messages twice, in every language", () => {
    const { json, pass } = build("loyalty", {
      "server/passes/loyalty.yml": LOYALTY_YML.replace("You now have %@ points", "20% up: %@"),
      "locales/de.yml": '"20% up: %@": "%@, 20 % mehr, 5%% davon"\n',
    });
    const { headerFields } = json.storeCard as { headerFields: { changeMessage: string }[] };
    assert.equal(headerFields[0]?.changeMessage, "20%% up: %@");
    const table = buildPassStrings(pass).tables.get("de");
    assert.equal(table?.get("20%% up: %@"), "%@, 20 %% mehr, 5%% davon");
  });

  it("tells the system what an event and a flight are", () => {
    const { json: event } = build("event");
    assert.deepEqual(event.semantics, {
      eventName: "Moonlight Session",
      venueName: "Lune Hall",
      eventStartDate: "2026-06-15T18:30:00.000Z",
      attendeeName: "Sample",
      seats: [{ seatRow: "C", seatNumber: "12" }],
    });
    assert.equal(event.groupingIdentifier, "Moonlight Session");
    const { json: flight } = build("flight");
    const { airlineCode, flightNumber, departureAirportCode, passengerName } =
      flight.semantics as Record<string, unknown>;
    assert.deepEqual(
      [airlineCode, flightNumber, departureAirportCode, passengerName],
      ["LX", 214, "ZRH", { givenName: "Alexandra", familyName: "Meier" }],
    );
    assert.equal((flight.boardingPass as Record<string, unknown>).transitType, "PKTransitTypeAir");
    const { json: gift } = build("gift");
    assert.deepEqual(gift.semantics, { balance: { amount: "25.5", currencyCode: "CHF" } });
  });

  it("gives a flight its code only with the carrier and the number", () => {
    const codeOf = (flight: string) => {
      const { json } = build("flight", { "server/passes/flight.yml": flight });
      return (json.semantics as Record<string, unknown>).flightCode;
    };
    assert.equal(codeOf(FLIGHT_YML), "LX214");
    assert.equal(codeOf(FLIGHT_YML.replace(/^ {2}number: .*\n/m, "")), undefined);
    assert.equal(codeOf(FLIGHT_YML.replace(/^ {2}carrier: .*\n/m, "")), undefined);
  });

  it("lays the layout over all but the identity", () => {
    const { json } = build("loyalty", {
      "layouts/loyalty.apple.yml": [
        "serialNumber: stolen",
        "userInfo: { id: '{{ pass.id }}' }",
        "logoText: Lune",
        "locations: null",
        "storeCard: { headerFields: [] }",
      ].join("\n"),
    });
    assert.equal(json.serialNumber, "sample-pass-0001");
    assert.deepEqual(json.userInfo, { id: "sample-pass-0001" });
    assert.equal(json.logoText, "Lune");
    assert.equal("locations" in json, false);
    const card = json.storeCard as Record<string, unknown[]>;
    assert.equal(card.headerFields?.length, 0);
    assert.equal(card.primaryFields?.length, 1);
  });

  it("takes no web service and no end of the pass from the layout, also where the pass has none", () => {
    const { json } = build(
      "loyalty",
      {
        "layouts/loyalty.apple.yml": [
          "webServiceURL: https://elsewhere.example",
          "authenticationToken: 0123456789abcdef",
          "voided: true",
          "formatVersion: 2",
          "logoText: Lune",
        ].join("\n"),
      },
      { passTypeIdentifier: IDENTITY.passTypeIdentifier, teamIdentifier: IDENTITY.teamIdentifier },
    );
    for (const name of ["webServiceURL", "authenticationToken", "voided"]) {
      assert.equal(name in json, false, name);
    }
    assert.deepEqual([json.formatVersion, json.logoText], [1, "Lune"]);
  });

  it("follows a code that a watch cannot show by one that it can", () => {
    const files = {
      "server/passes/loyalty.yml": LOYALTY_YML.replace("format: qr", "format: code128"),
    };
    const { json } = build("loyalty", files);
    const formats = (json.barcodes as { format: string }[]).map(({ format }) => format);
    assert.deepEqual(formats, ["PKBarcodeFormatCode128", "PKBarcodeFormatQR"]);
    assert.equal((json.barcode as { format: string }).format, "PKBarcodeFormatQR");
    const messages = (json.barcodes as { message: string }[]).map(({ message }) => message);
    assert.deepEqual(messages, ["sample-pass-0001", "sample-pass-0001"]);
  });

  it("asks for the poster of an event only with everything that the poster needs", () => {
    const tags = ["venueRegionName: Zurich", "venueRoom: Main hall"];
    const nfc =
      'nfc: { message: "{{ pass.id }}", encryptionPublicKey: AAAA, requiresAuthentication: true }';
    const event = EVENT_YML.replace("strip: images/strip.png", "background: images/background.png");
    const schemes = (semantics: readonly string[], more: readonly string[], template = event) => {
      const layout = [`semantics: { ${semantics.join(", ")} }`, ...more].join("\n");
      const files = { "layouts/event.apple.yml": layout, "server/passes/event.yml": template };
      const { json } = build("event", files);
      assert.ok("eventTicket" in json);
      return json.preferredStyleSchemes;
    };
    assert.deepEqual(schemes(tags, [nfc]), ["posterEventTicket", "eventTicket"]);
    assert.equal(schemes(tags, []), undefined);
    assert.equal(schemes(tags.slice(1), [nfc]), undefined);
    assert.equal(schemes([...tags, "eventType: PKEventTypeSports"], [nfc]), undefined);
    assert.equal(schemes(tags, [nfc], EVENT_YML), undefined);
    assert.equal(schemes(tags, [nfc, "preferredStyleSchemes: null"]), undefined);
    assert.deepEqual(schemes(tags, ["preferredStyleSchemes: [eventTicket]"]), ["eventTicket"]);
  });

  it("asks for the rich boarding pass of a flight only with every tag that it needs", () => {
    const places = ["departure", "destination"].flatMap((end) => [
      `${end}CityName: City`,
      `${end}LocationTimeZone: Europe/Zurich`,
    ]);
    const times = [
      'originalArrivalDate: "2026-06-15T10:20:00Z"',
      'originalBoardingDate: "2026-06-15T05:50:00Z"',
    ];
    const schemes = (passType: string, tags: readonly string[]) => {
      const layout = `semantics: { ${tags.join(", ")} }`;
      return build(passType, { [`layouts/${passType}.apple.yml`]: layout }).json
        .preferredStyleSchemes;
    };
    const rich = ["semanticBoardingPass", "boardingPass"];
    assert.deepEqual(schemes("flight", [...places, ...times]), rich);
    assert.equal(schemes("flight", places), undefined);
    assert.equal(schemes("train", [...places, ...times]), undefined);
  });

  it("takes NFC, beacons and a poster from the layout, beside the classic style", () => {
    const { json } = build("library", {
      "layouts/library.apple.yml": [
        'nfc: { message: "{{ pass.id }}", encryptionPublicKey: AAAA }',
        "beacons: [ { proximityUUID: 6e9e7d2a-6f3c-4b53-9c2b-0b4c2f3a1d11, relevantText: Welcome } ]",
        'posterGeneric: { primaryFields: [ { key: reader, value: "{{ data.name }}" } ] }',
      ].join("\n"),
    });
    assert.deepEqual(json.nfc, { message: "sample-pass-0001", encryptionPublicKey: "AAAA" });
    assert.equal((json.beacons as unknown[]).length, 1);
    assert.ok("posterGeneric" in json && "generic" in json);
  });

  it("says how a barcode is encoded", () => {
    assert.equal(encodingFor("Café"), "iso-8859-1");
    assert.equal(encodingFor("月"), "utf-8");
  });
});

describe("buildPassStrings", () => {
  it("gives every language the same keys, the tenant's own included", () => {
    const { tables, ambiguous } = buildPassStrings(build("loyalty").pass);
    assert.deepEqual(ambiguous, []);
    assert.deepEqual([...tables.keys()], ["en", "de"]);
    assert.deepEqual(Object.fromEntries(tables.get("de") ?? []), {
      "Gold Club card": "Gold-Club-Karte",
      Points: "Punkte",
      "You now have %@ points": "Du hast jetzt %@ Punkte",
      Member: "Mitglied",
      "Bring this card.": "Bring diese Karte mit.",
    });
    assert.deepEqual(
      [...(tables.get("en") ?? new Map()).keys()],
      [...(tables.get("de") ?? new Map()).keys()],
    );
  });

  it("has the words for the status of a journey, which stand in the locales", () => {
    const journey = TRAIN_YML.replace(
      "  type: train\n",
      "  type: train\n  status: delayed\n  statusText: \"{{ 'delayed' | t }}\"\n",
    );
    const { json, pass } = build("train", {
      "server/passes/train.yml": journey,
      "locales/en.yml": "delayed: Delayed\n",
      "locales/de.yml": "delayed: Verspätet\n",
    });
    assert.equal((json.semantics as Record<string, unknown>).transitStatus, "Delayed");
    assert.equal(buildPassStrings(pass).tables.get("de")?.get("Delayed"), "Verspätet");
  });

  it("is empty where nothing differs", () => {
    assert.equal(buildPassStrings(build("gift").pass).tables.size, 0);
  });

  it("escapes what would end a string", () => {
    const table = new Map([['say "hi"\\', "zwei\nZeilen"]]);
    assert.equal(formatStrings(table), '"say \\"hi\\"\\\\" = "zwei\\nZeilen";\n');
  });
});
