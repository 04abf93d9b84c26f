import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { daysFromNow, issueCertificate } from "#test/support/certificates.ts";
import { check, placeOf, type Secrets, summary } from "#test/support/check-configuration.ts";
import {
  authority,
  GOOD_FILES,
  GOOD_SECRETS,
  goodFiles,
  PASS_NAME,
} from "#test/support/good-configuration.ts";

const APPLE = "server/apple.yml";

describe("credentials", () => {
  const issue = (wish: Partial<Parameters<typeof issueCertificate>[0]> = {}) => {
    const { certificate, keyPem } = issueCertificate({
      name: PASS_NAME,
      issuer: authority,
      ...wish,
    });
    return { "APPLE-CERTIFICATE": certificate, "APPLE-KEY": keyPem };
  };
  const stranger = issueCertificate({ name: { CN: "Example Authority", OU: "G3" } });
  const encrypted = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: {
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase: "unknown",
    },
  }).privateKey;

  const cases: readonly [string, Secrets, string, string][] = [
    ["that expired", issue({ to: daysFromNow(-0.5) }), "credential.expired", "APPLE-CERT"],
    ["of tomorrow", issue({ from: daysFromNow(1) }), "credential.not-yet-valid", "APPLE-CERT"],
    [
      "with 59 days left",
      issue({ to: daysFromNow(59.5) }),
      "credential.expires-soon",
      "APPLE-CERT",
    ],
    [
      "of another team",
      issue({ name: { ...PASS_NAME, OU: "ZZZZZ99999" } }),
      "credential.identifier-mismatch",
      "ABCDE12345",
    ],
    ["with another key", { "APPLE-KEY": stranger.keyPem }, "credential.key-mismatch", "APPLE-KEY"],
    ["with a key that is locked", { "APPLE-KEY": encrypted }, "credential.passphrase", "APPLE-KEY"],
    ["with no key at all", { "APPLE-KEY": "hunter2" }, "credential.unreadable", "APPLE-KEY"],
    ["that is none", { "APPLE-CERTIFICATE": "hunter2" }, "credential.unreadable", "APPLE-CERT"],
    [
      "with another intermediate",
      { "APPLE-INTERMEDIATE": stranger.certificate },
      "credential.chain-broken",
      "APPLE-INTERMEDIATE",
    ],
  ];
  for (const [title, secrets, code, at] of cases) {
    it(`of Apple ${title} give ${code}`, async () => {
      const findings = await check(goodFiles(), { ...GOOD_SECRETS, ...secrets });
      const place = placeOf(GOOD_FILES[APPLE] ?? "", at);
      assert.deepEqual(summary(findings), [{ code, file: APPLE, ...place }]);
    });
  }

  it("of Apple without an intermediate give credential.chain-missing, unless one secret holds both", async () => {
    const apple = (GOOD_FILES[APPLE] ?? "").replace("  intermediate: APPLE-INTERMEDIATE\n", "");
    const files = goodFiles({ [APPLE]: apple });
    const [finding] = await check(files);
    assert.equal(finding?.code, "credential.chain-missing");
    const both = `${GOOD_SECRETS["APPLE-CERTIFICATE"]}${authority.certificate}`;
    assert.deepEqual(await check(files, { ...GOOD_SECRETS, "APPLE-CERTIFICATE": both }), []);
  });

  for (const [title, value] of [
    ["that is no JSON", "hunter2"],
    ["without an address", JSON.stringify({ private_key: "x" })],
    ["with a broken key", JSON.stringify({ client_email: "a@b", private_key: "hunter2" })],
  ] as const) {
    it(`of Google ${title} give credential.unreadable`, async () => {
      const findings = await check(goodFiles(), { ...GOOD_SECRETS, "GOOGLE-ACCOUNT": value });
      const file = "server/google.yml";
      const place = placeOf(GOOD_FILES[file] ?? "", "GOOGLE-ACCOUNT");
      assert.deepEqual(summary(findings), [{ code: "credential.unreadable", file, ...place }]);
      assert.doesNotMatch(JSON.stringify(findings), /hunter2/);
    });
  }
});
