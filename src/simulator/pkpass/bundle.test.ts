import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeBundle, makeSigning } from "#test/support/signed-bundle.ts";
import { imageOf, openBundle, stringsFor } from "./bundle.ts";

const signing = makeSigning("pass.example.card", "TEAM123456");
const PASS = {
  formatVersion: 1,
  passTypeIdentifier: "pass.example.card",
  teamIdentifier: "TEAM123456",
  serialNumber: "1",
  organizationName: "Café",
  description: "A card",
  storeCard: { headerFields: [{ key: "points", label: "points", value: 1 }] },
};

describe("a bundle as an iPhone opens it", () => {
  it("is taken when everything in it fits together", () => {
    const strings = { fr: '/* x */ "points" = "Points \\"or\\"";' };
    const bundle = openBundle(makeBundle(PASS, signing, strings));
    assert.equal(bundle.serialNumber, "1");
    assert.equal(bundle.signer.issuer, "Test authority");
    assert.equal(stringsFor(bundle, "fr-CH").get("points"), 'Points "or"');
    assert.equal(stringsFor(bundle, "en").size, 0);
    assert.ok(imageOf(bundle, "logo", "en"));
  });

  const other = makeSigning("pass.example.other", "TEAM123456");
  const refused: readonly [string, Buffer, RegExp][] = [
    ["no archive", Buffer.from("hello"), /no ZIP/],
    [
      "a file that was changed after it was signed",
      makeBundle(PASS, signing, {}, { after: { "pass.json": "{}" } }),
      /pass\.json is not as the manifest says/,
    ],
    [
      "a file that the manifest does not list",
      makeBundle(PASS, signing, {}, { after: { ".DS_Store": "x" } }),
      /\.DS_Store is not as the manifest says/,
    ],
    [
      "a file that is missing",
      makeBundle(PASS, signing, {}, { after: { "logo@2x.png": undefined } }),
      /logo@2x\.png stands in the manifest/,
    ],
    [
      "no signature",
      makeBundle(PASS, signing, {}, { after: { signature: undefined } }),
      /signature is missing/,
    ],
    [
      "a signature of something else",
      makeBundle(PASS, signing, {}, { signs: "other" }),
      /of another manifest/,
    ],
    [
      "no intermediate certificate",
      makeBundle(PASS, signing, {}, { withoutIntermediate: true }),
      /issued the signer's is missing/,
    ],
    ["a certificate of another pass type", makeBundle(PASS, other), /another pass type/],
    [
      "a certificate of another team",
      makeBundle({ ...PASS, teamIdentifier: "OTHER" }, signing),
      /another team/,
    ],
    ["no style", makeBundle({ ...PASS, storeCard: undefined }, signing), /no style/],
    [
      "a service without a token",
      makeBundle({ ...PASS, webServiceURL: "https://x" }, signing),
      /only go together/,
    ],
    [
      "a service over http",
      makeBundle(
        { ...PASS, webServiceURL: "http://x", authenticationToken: "0123456789abcdef" },
        signing,
      ),
      /webServiceURL is not https/,
    ],
    [
      "a number in quotes",
      makeBundle({ ...PASS, associatedStoreIdentifiers: ["1"] }, signing),
      /associatedStoreIdentifiers\.0 is not of the type integer/,
    ],
    [
      "an address of an app without the app",
      makeBundle({ ...PASS, appLaunchURL: "lune://card" }, signing),
      /appLaunchURL needs associatedStoreIdentifiers/,
    ],
    [
      "a date without a time",
      makeBundle({ ...PASS, expirationDate: "2027-01-01" }, signing),
      /expirationDate is not of the type date/,
    ],
    [
      "a key twice",
      makeBundle(
        { ...PASS, storeCard: { ...PASS.storeCard, backFields: PASS.storeCard.headerFields } },
        signing,
      ),
      /storeCard has the key 'points' twice/,
    ],
    [
      "a field without a value",
      makeBundle({ ...PASS, storeCard: { primaryFields: [{ key: "a" }] } }, signing),
      /storeCard\.primaryFields\.0\.value is missing/,
    ],
    [
      "an address that is none",
      makeBundle({ ...PASS, managementURL: "our page" }, signing),
      /managementURL is not of the type url/,
    ],
    [
      "a date in words",
      makeBundle({ ...PASS, semantics: { eventStartDate: "tomorrow" } }, signing),
      /semantics\.eventStartDate is not of the type date/,
    ],
  ];
  for (const [title, archive, reason] of refused) {
    it(`is refused with ${title}`, () => {
      assert.throws(() => openBundle(archive), reason);
    });
  }

  it("speaks Chinese by its script", () => {
    const strings = { "zh-Hans": '"points" = "积分";', "zh-Hant": '"points" = "積分";' };
    const bundle = openBundle(makeBundle(PASS, signing, strings));
    const texts = ["zh-CN", "zh-HK", "zh"].map((name) => stringsFor(bundle, name).get("points"));
    assert.deepEqual(texts, ["积分", "積分", "积分"]);
  });

  it("is taken with names that iOS does not know, and with those of newer systems", () => {
    const newer = {
      ...{ madeUp: 1, semantics: { eventType: "PKEventTypeFestival", madeUp: true } },
      ...{ footerBackgroundColor: "#abc", featuredActions: [{ identifier: "a", type: "b" }] },
    };
    assert.equal(openBundle(makeBundle({ ...PASS, ...newer }, signing)).serialNumber, "1");
  });

  it("is taken with a service over http from the development authority alone", () => {
    const development = makeSigning("pass.example.card", "BILLFOLDDV");
    const service = { webServiceURL: "http://x", authenticationToken: "0123456789abcdef" };
    const pass = { ...PASS, ...service, teamIdentifier: "BILLFOLDDV" };
    assert.equal(openBundle(makeBundle(pass, development)).serialNumber, "1");
  });

  it("is refused when its signature was made with another key", () => {
    const forged = {
      authority: signing.authority,
      leaf: { ...signing.leaf, keyPem: other.leaf.keyPem },
    };
    assert.throws(() => openBundle(makeBundle(PASS, forged)), /does not belong to the certificate/);
  });
});
