import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { missingMember, requireKnown } from "#src/simulator/google/google.members.ts";
import { renderInAllLanguages } from "#src/templates/template.render.ts";
import { sampleInput } from "#src/templates/template.sample.ts";
import { readTemplates } from "#test/support/read-templates.ts";
import { POSTER_EVENT_YML, TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import { buildGoogleClass, buildGoogleObject } from "./google.content.ts";
import { localTime, toMoney } from "./google.values.ts";

const IDENTITY = {
  issuerId: "3388000000022141777",
  prefix: "acme.",
  imageUrl: (slot: string) => `https://example.com/${slot}.png`,
};

function build(
  passType: string,
  { data, files }: { data?: Record<string, unknown>; files?: Record<string, string> } = {},
) {
  const { set } = readTemplates(toFiles({ ...TEMPLATE_FILES, ...files }));
  const template = set.templates.get(passType);
  assert.ok(template !== undefined);
  const sample = sampleInput(template, { ...set.tenant, id: "acme" });
  const pass = renderInAllLanguages(template, { ...sample, data: { ...sample.data, ...data } });
  return {
    pass,
    ofClass: buildGoogleClass(template, pass, IDENTITY),
    ofObject: buildGoogleObject(template, pass, IDENTITY),
  };
}

const REQUIRED: Readonly<Record<string, { type: string; ofClass: string[]; ofObject: string[] }>> =
  {
    loyalty: {
      type: "loyalty",
      ofClass: ["issuerName", "programName", "programLogo", "reviewStatus"],
      ofObject: ["state"],
    },
    coupon: {
      type: "offer",
      ofClass: ["issuerName", "provider", "title", "redemptionChannel", "reviewStatus"],
      ofObject: ["state"],
    },
    event: {
      type: "eventTicket",
      ofClass: ["issuerName", "eventName", "reviewStatus"],
      ofObject: ["state"],
    },
    flight: {
      type: "flight",
      ofClass: [
        ...["issuerName", "flightHeader", "origin", "destination"],
        ...["localScheduledDepartureDateTime", "reviewStatus"],
      ],
      ofObject: ["state", "passengerName", "reservationInfo"],
    },
    train: {
      type: "transit",
      ofClass: ["issuerName", "logo", "transitType", "reviewStatus"],
      ofObject: ["state", "tripType"],
    },
    gift: {
      type: "giftCard",
      ofClass: ["issuerName", "reviewStatus"],
      ofObject: ["state", "cardNumber"],
    },
    library: { type: "generic", ofClass: [], ofObject: ["cardTitle", "header"] },
  };

describe("Google content", () => {
  for (const [passType, { type, ofClass, ofObject }] of Object.entries(REQUIRED)) {
    it(`gives ${passType} everything Google requires of a ${type}`, () => {
      const made = build(passType);
      assert.equal(made.ofClass.type, type);
      for (const name of ["id", ...ofClass]) {
        assert.ok(made.ofClass.content[name] !== undefined, `class ${name}`);
      }
      for (const name of ["id", "classId", ...ofObject]) {
        assert.ok(made.ofObject.content[name] !== undefined, `object ${name}`);
      }
      for (const [kind, { content }] of [
        ["Class", made.ofClass] as const,
        ["Object", made.ofObject] as const,
      ]) {
        const name = `${type.slice(0, 1).toUpperCase()}${type.slice(1)}${kind}`;
        assert.doesNotThrow(() => requireKnown(name, content));
        assert.equal(missingMember(name, content), undefined);
      }
      assert.equal(made.ofObject.content.classId, made.ofClass.content.id);
      assert.match(String(made.ofClass.content.id), /^3388000000022141777\.acme\.[\w.-]+$/);
      const json = JSON.stringify(made.ofClass.content) + JSON.stringify(made.ofObject.content);
      assert.equal(json.includes("[object"), false);
    });
  }

  it("writes the object of a loyalty card with its translations", () => {
    const { content } = build("loyalty").ofObject;
    assert.equal(content.accountId, "100200300");
    assert.equal(content.accountName, "Alexandra");
    assert.deepEqual(content.loyaltyPoints, {
      label: "Points",
      localizedLabel: {
        defaultValue: { language: "en", value: "Points" },
        translatedValues: [{ language: "de", value: "Punkte" }],
      },
      balance: { string: "0" },
    });
    assert.deepEqual(content.barcode, {
      type: "QR_CODE",
      value: "sample-pass-0001",
      alternateText: "100200300",
    });
    assert.deepEqual(content.validTimeInterval, {
      end: { date: "2028-01-15T10:30:00+01:00" },
    });
    assert.deepEqual(content.linksModuleData, {
      uris: [{ id: "site", uri: "https://lune.example/", description: "Website" }],
    });
    assert.deepEqual(content.merchantLocations, [{ latitude: 47.37, longitude: 8.54 }]);
  });

  it("describes the pictures of a class by the organization, not by the description of a pass", () => {
    const { pass, ofClass } = build("loyalty");
    const { language, organization, description } = pass.main;
    assert.notEqual(organization, description);
    const programLogo = JSON.stringify(ofClass.content.programLogo);
    assert.ok(programLogo.includes(JSON.stringify({ language, value: organization })));
    assert.equal(programLogo.includes(description), false);
  });

  it("lets readers take a pass by Smart Tap where the template names their issuers", () => {
    const nfc = (more: string) => {
      const text = `${TEMPLATE_FILES["server/passes/loyalty.yml"]}nfc: { message: "{{ pass.id }}é"${more} }\n`;
      const { ofClass, ofObject } = build("loyalty", {
        files: { "server/passes/loyalty.yml": text },
      });
      const { enableSmartTap, redemptionIssuers } = ofClass.content;
      return [enableSmartTap, redemptionIssuers, ofObject.content.smartTapRedemptionValue];
    };
    assert.deepEqual(nfc(""), [undefined, undefined, undefined]);
    const named = ', redemptionIssuers: ["3388000000012345678"]';
    assert.deepEqual(nfc(named), [true, ["3388000000012345678"], undefined], "not ASCII");
    const { ofClass, ofObject } = build("event", {
      files: { "server/passes/event.yml": POSTER_EVENT_YML },
    });
    assert.equal(ofClass.content.enableSmartTap, true);
    assert.equal(ofObject.content.smartTapRedemptionValue, "sample-pass-0001");
  });

  it("shows the front fields in at most three rows of three", () => {
    const { content } = build("loyalty").ofClass;
    const rows = (content.classTemplateInfo as Record<string, Record<string, unknown[]>>)
      .cardTemplateOverride?.cardRowTemplateInfos;
    assert.deepEqual(
      rows?.map((row) => Object.keys(row as object)),
      [["oneItem"], ["oneItem"], ["twoItems"]],
    );
  });

  it("writes a flight with the clock of the airport", () => {
    const { content } = build("flight").ofClass;
    assert.deepEqual(content.flightHeader, {
      carrier: {
        carrierIataCode: "LX",
        airlineName: { defaultValue: { language: "en", value: "Lune Air" } },
        airlineLogo: (content.flightHeader as { carrier: { airlineLogo: unknown } }).carrier
          .airlineLogo,
      },
      flightNumber: "214",
    });
    assert.equal(content.localScheduledDepartureDateTime, "2026-06-15T08:20:00");
  });

  it("has one class for each event or offer, and one in all for what is the same", () => {
    const id = (passType: string, data: Record<string, unknown>) =>
      build(passType, { data }).ofClass.content.id;
    assert.notEqual(id("event", { event: "A" }), id("event", { event: "B" }));
    assert.equal(id("event", { event: "A", seat: "1" }), id("event", { event: "A", seat: "2" }));
    assert.notEqual(id("coupon", { percent: 10 }), id("coupon", { percent: 20 }));
    assert.equal(id("loyalty", { firstName: "A" }), `${IDENTITY.issuerId}.acme.loyalty`);
  });

  it("keeps the class of an event when only its look changes", () => {
    const original = TEMPLATE_FILES["server/passes/event.yml"] ?? "";
    const files = { "server/passes/event.yml": original.replace("#1f2a44", "#000000") };
    assert.equal(build("event", { files }).ofClass.content.id, build("event").ofClass.content.id);
  });

  it("lays the layout over all but the ids", () => {
    const layout =
      "class: { id: stolen, countryCode: CH }\nobject: { classId: stolen, note: '{{ pass.id }}' }\n";
    const made = build("loyalty", { files: { "layouts/loyalty.google.yml": layout } });
    assert.equal(made.ofClass.content.id, `${IDENTITY.issuerId}.acme.loyalty`);
    assert.equal(made.ofClass.content.countryCode, "CH");
    assert.equal(made.ofObject.content.classId, `${IDENTITY.issuerId}.acme.loyalty`);
    assert.equal(made.ofObject.content.note, "sample-pass-0001");
  });

  it("counts money in exact millionths", () => {
    assert.deepEqual(toMoney("25.5", "CHF"), { micros: "25500000", currencyCode: "CHF" });
    assert.deepEqual(toMoney("-0.01", "CHF"), { micros: "-10000", currencyCode: "CHF" });
    assert.deepEqual(toMoney("123456789012345.1234", "CHF")?.micros, "123456789012345123400");
    assert.equal(toMoney("much", "CHF"), undefined);
  });

  it("reads local times with an offset, in UTC, and without", () => {
    const at = (text: string) => {
      const { pass } = build("flight", { data: { departure: text } });
      return localTime(pass, "transit.departure");
    };
    assert.equal(at("2026-06-15T08:20:00-04:00"), "2026-06-15T08:20:00");
    assert.equal(at("2026-06-15T06:20:00Z"), "2026-06-15T08:20:00");
    assert.equal(at("2026-06-15 08:20"), "2026-06-15T08:20:00");
    assert.equal(at("2026-06-15T08:20:30.5+02:00"), "2026-06-15T08:20:30");
  });

  it("leaves out a local time that is not in the calendar or on the clock", () => {
    const wrong = ["2026-02-30T25:00 nonsense", "2026-02-30T08:20", "2026-06-15T25:00:00+02:00"];
    for (const text of [...wrong, "2026-06-15T08:20 nonsense", "soon"]) {
      const { ofClass, pass } = build("flight", { data: { departure: text } });
      assert.equal(localTime(pass, "transit.departure"), undefined, text);
      assert.equal("localScheduledDepartureDateTime" in ofClass.content, false, text);
    }
  });
});
