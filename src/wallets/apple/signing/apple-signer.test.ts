import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import { describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import type { ProblemError } from "#kernel/errors.ts";
import { daysFromNow, issueCertificate } from "#test/support/certificates.ts";
import { requireSignature } from "#test/support/detached-signature.ts";
import { shareApi, type TestApi } from "#test/support/start-api.ts";
import { appleSignerOf, createAppleSigner } from "./apple-signer.ts";
import { developmentRootOf } from "./authority.service.ts";
import {
  authorityOver,
  noAuthority,
  signsCertificates,
  signsContent,
  writeCertificate,
} from "./x509.ts";

const MANIFEST = Buffer.from('{"pass.json":"2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"}');
const AT = new Date("2026-11-16T15:04:05.678Z");

const APPLE_YML = `passTypeIdentifier: pass.example.cafe-lune
teamIdentifier: ABCDE12345
secrets: { certificate: APPLE-CERTIFICATE, key: APPLE-KEY, intermediate: APPLE-INTERMEDIATE }
`;

const contextOf = (api: Pick<TestApi, "runtime">, tenantId: string) =>
  systemCall(api.runtime, "test", { tenantId });

async function store(api: TestApi, tenantId: string, secrets: Record<string, string>) {
  for (const [name, value] of Object.entries(secrets)) {
    const path = `/api/${tenantId}/secrets/${name}`;
    const { status, text } = await api.put(path, { key: api.operatorKey, body: { value } });
    assert.ok(status < 300, text);
  }
}

type Keys = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
const elliptic = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();

/** A root, an intermediate and a leaf as Apple has them, with a key of any kind. */
function makeChain(keys: Keys, days = 365, name = "G9") {
  const [root, middle] = [elliptic(), elliptic()];
  const [from, to] = [daysFromNow(-30), daysFromNow(days)];
  const above = { CN: "Example Root" };
  const between = { CN: "Example Relations", OU: name };
  const byRoot = { issuer: above, issuerKey: root.privateKey, issuerPublicKey: root.publicKey };
  const byMiddle = {
    issuer: between,
    issuerKey: middle.privateKey,
    issuerPublicKey: middle.publicKey,
  };
  const authority = { from, to: daysFromNow(999), publicKey: root.publicKey, ...byRoot };
  return {
    root: writeCertificate({
      ...authority,
      subject: above,
      extensions: [authorityOver(1), signsCertificates],
    }),
    intermediate: writeCertificate({
      ...authority,
      subject: between,
      publicKey: middle.publicKey,
      extensions: [authorityOver(0), signsCertificates],
    }),
    leaf: writeCertificate({
      ...{ from, to, ...byMiddle, publicKey: keys.publicKey },
      subject: { UID: "pass.example.cafe-lune", OU: "ABCDE12345", CN: "Pass Type ID" },
      extensions: [noAuthority, signsContent],
    }),
    key: pem(keys.privateKey),
  };
}

function problemOf(code: string, words: RegExp) {
  return (error: unknown) => {
    const problem = error as ProblemError;
    assert.equal(problem.status, 409);
    assert.equal(problem.code, code);
    assert.match(problem.message, words);
    return true;
  };
}

describe("the signer of a tenant, in staging", () => {
  const shared = shareApi();

  it("is the development authority where no credentials are stored, and OpenSSL accepts it", async () => {
    const api = shared();
    await api.seed.tenant("plain");
    const context = contextOf(api, "plain");
    const signer = await appleSignerOf(context);
    assert.equal(signer.passTypeIdentifier, "pass.dev.billfold.plain");
    assert.equal(signer.teamIdentifier, "BILLFOLDDV");
    assert.equal(signer.isDevelopment, true);
    const root = await developmentRootOf(context);
    const facts = await requireSignature(await signer.sign(MANIFEST, AT), MANIFEST, root);
    assert.deepEqual(facts.attributes.toSorted(), ["contentType", "messageDigest", "signingTime"]);
    assert.equal(facts.digest, "sha256");
    assert.equal(facts.algorithm, "rsaEncryption");
    assert.equal(facts.signingTime, "UTCTime 261116150405Z");
    assert.equal(facts.certificates.length, 2);
  });

  it("has a certificate with everything that Apple's certificates have", async () => {
    const api = shared();
    await api.seed.tenant("leaf");
    const signer = await appleSignerOf(contextOf(api, "leaf"));
    const leaf = new X509Certificate(signer.certificatePem);
    const subject = leaf.subject.split("\n");
    assert.ok(subject.includes("UID=pass.dev.billfold.leaf"));
    assert.ok(subject.includes("OU=BILLFOLDDV"));
    assert.ok(subject.includes("CN=Pass Type ID: pass.dev.billfold.leaf"));
    assert.ok(subject.some((line) => line.startsWith("O=")));
    assert.deepEqual(leaf.keyUsage, ["1.3.6.1.5.5.7.3.2", "1.2.840.113635.100.4.14"]);
    assert.equal(leaf.ca, false);
    assert.equal(leaf.publicKey.asymmetricKeyDetails?.modulusLength, 2048);
    // 1.2.840.113635.100.6.1.16, and the identifier in a string of octets.
    const passType = Buffer.from("060a2a864886f7636406011004", "hex");
    const at = leaf.raw.indexOf(passType);
    assert.ok(at > 0);
    assert.ok(leaf.raw.subarray(at).includes("pass.dev.billfold.leaf"));
    const [intermediate = ""] = signer.intermediatesPem;
    assert.ok(leaf.verify(new X509Certificate(intermediate).publicKey));
  });

  it("takes the identifier of the file while its secrets are not stored", async () => {
    const api = shared();
    await api.seed.tenant("named", { "server/apple.yml": APPLE_YML });
    const signer = await appleSignerOf(contextOf(api, "named"));
    assert.equal(signer.passTypeIdentifier, "pass.example.cafe-lune");
    assert.equal(signer.isDevelopment, true);
  });

  it("is one authority, whoever asks first: many calls on two nodes at once", async () => {
    const api = shared();
    await api.seed.tenant("race");
    const other = await api.node();
    const contexts = [api, other, api, other, api].map((node) => contextOf(node, "race"));
    const signers = await Promise.all(contexts.map((context) => appleSignerOf(context)));
    assert.equal(new Set(signers.map(({ certificatePem }) => certificatePem)).size, 1);
    assert.equal(new Set(signers.map(({ keyPem }) => keyPem)).size, 1);
    const roots = await Promise.all(contexts.map((context) => developmentRootOf(context)));
    assert.equal(new Set(roots).size, 1);
    const [row] = await api.sql(
      "select count(*)::int as count from apple_authority where tenant_id = 'race'",
    );
    assert.equal(row?.count, 2);
  });

  it("stores its keys sealed, and a copy for another tenant does not open", async () => {
    const api = shared();
    await api.seed.tenant("sealed");
    await api.seed.tenant("thief");
    await appleSignerOf(contextOf(api, "sealed"));
    const rows = await api.sql("select sealed from apple_authority where tenant_id = 'sealed'");
    assert.equal(rows.length, 2);
    for (const { sealed } of rows) assert.ok(!String(sealed).includes("PRIVATE KEY"));
    await api.sql(
      "insert into apple_authority select 'thief', name, sealed, created_at from apple_authority where tenant_id = 'sealed' and name = 'authority'",
    );
    await assert.rejects(appleSignerOf(contextOf(api, "thief")), /MASTER_KEY does not open/);
  });

  it("signs by the stored certificate, with the intermediate that really issued it", async () => {
    const api = shared();
    await api.seed.tenant("real", { "server/apple.yml": APPLE_YML });
    const chain = makeChain(generateKeyPairSync("rsa", { modulusLength: 2048 }));
    const stranger = makeChain(elliptic());
    const before = await appleSignerOf(contextOf(api, "real"));
    assert.equal(before.isDevelopment, true);
    await store(api, "real", {
      "APPLE-CERTIFICATE": chain.leaf,
      "APPLE-KEY": chain.key,
      // The same name, another key: only the signature tells them apart.
      "APPLE-INTERMEDIATE": stranger.intermediate + chain.root + chain.intermediate,
    });
    const signer = await appleSignerOf(contextOf(api, "real"));
    assert.equal(signer.isDevelopment, false);
    assert.equal(signer.teamIdentifier, "ABCDE12345");
    assert.deepEqual(signer.intermediatesPem, [chain.intermediate]);
    const facts = await requireSignature(await signer.sign(MANIFEST, AT), MANIFEST, chain.root);
    assert.equal(facts.certificates.length, 2);
    assert.equal(await appleSignerOf(contextOf(api, "real")), signer, "is read once");
  });

  it("signs with elliptic keys, and takes a new key as soon as it is stored", async () => {
    const api = shared();
    await api.seed.tenant("elliptic", { "server/apple.yml": APPLE_YML });
    for (const round of [1, 2]) {
      const chain = makeChain(elliptic());
      await store(api, "elliptic", {
        "APPLE-CERTIFICATE": chain.leaf + chain.intermediate,
        "APPLE-KEY": chain.key,
        "APPLE-INTERMEDIATE": chain.intermediate,
      });
      const signer = await appleSignerOf(contextOf(api, "elliptic"));
      assert.equal(signer.certificatePem, chain.leaf, `round ${round}`);
      const facts = await requireSignature(await signer.sign(MANIFEST, AT), MANIFEST, chain.root);
      assert.equal(facts.algorithm, "ecdsaWithSha256");
    }
  });

  it("has another fingerprint with another intermediate: what it signed is signed again", () => {
    const keys = elliptic();
    const chain = makeChain(keys);
    const signerWith = (intermediate: string) =>
      createAppleSigner({
        passTypeIdentifier: "pass.example.cafe-lune",
        teamIdentifier: "ABCDE12345",
        isDevelopment: false,
        leaf: new X509Certificate(chain.leaf),
        intermediates: [new X509Certificate(intermediate)],
        key: keys.privateKey,
      });
    const { fingerprint } = signerWith(chain.intermediate);
    assert.equal(signerWith(chain.intermediate).fingerprint, fingerprint);
    assert.notEqual(signerWith(makeChain(keys).intermediate).fingerprint, fingerprint);
  });

  it("409: stops signing in the moment in which its certificate expires", async () => {
    const api = shared();
    await api.seed.tenant("brief", { "server/apple.yml": APPLE_YML });
    const chain = makeChain(elliptic(), 1);
    await store(api, "brief", {
      "APPLE-CERTIFICATE": chain.leaf,
      "APPLE-KEY": chain.key,
      "APPLE-INTERMEDIATE": chain.intermediate,
    });
    const signer = await appleSignerOf(contextOf(api, "brief"));
    assert.equal(signer.expiresAt.getTime(), new X509Certificate(chain.leaf).validToDate.getTime());
    const late = contextOf(api, "brief");
    Object.defineProperty(late, "clock", { value: { now: () => signer.expiresAt } });
    const refused = appleSignerOf(late);
    await assert.rejects(refused, problemOf("wallet.apple-not-usable", /expired on .* Renew/));
  });

  it("409: refuses credentials that Apple Wallet would refuse, in plain words", async () => {
    const api = shared();
    await api.seed.tenant("wrong", { "server/apple.yml": APPLE_YML });
    const good = makeChain(elliptic());
    const old = makeChain(elliptic(), -1);
    const other = issueCertificate({ name: { CN: "Example Relations" } });
    const secrets = {
      "APPLE-CERTIFICATE": good.leaf,
      "APPLE-KEY": good.key,
      "APPLE-INTERMEDIATE": good.intermediate,
    };
    const cases: readonly [Record<string, string>, RegExp][] = [
      [{ "APPLE-KEY": pem(elliptic().privateKey) }, /does not belong to the certificate/],
      [{ "APPLE-INTERMEDIATE": other.certificate }, /did not issue the certificate/],
      [
        {
          "APPLE-CERTIFICATE": old.leaf,
          "APPLE-KEY": old.key,
          "APPLE-INTERMEDIATE": old.intermediate,
        },
        /expired on/,
      ],
      [{ "APPLE-CERTIFICATE": "no certificate" }, /does not hold a certificate/],
    ];
    for (const [changed, words] of cases) {
      await store(api, "wrong", { ...secrets, ...changed });
      const refused = appleSignerOf(contextOf(api, "wrong"));
      await assert.rejects(refused, problemOf("wallet.apple-not-usable", words));
    }
    await store(api, "wrong", secrets);
    assert.equal((await appleSignerOf(contextOf(api, "wrong"))).isDevelopment, false);
  });
});

describe("the signer of a tenant, in production", () => {
  const shared = shareApi({
    env: { ENVIRONMENT: "production", BASE_URL: "https://passes.example" },
  });

  it("409: there is none without credentials, and no authority is made", async () => {
    const api = shared();
    await api.seed.tenant("bare");
    await api.seed.tenant("named", { "server/apple.yml": APPLE_YML });
    for (const tenantId of ["bare", "named"]) {
      const refused = appleSignerOf(contextOf(api, tenantId));
      await assert.rejects(refused, problemOf("wallet.apple-not-configured", /server\/apple\.yml/));
    }
    assert.deepEqual(await api.sql("select * from apple_authority"), []);
  });
});
