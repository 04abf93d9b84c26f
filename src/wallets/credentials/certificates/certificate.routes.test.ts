import assert from "node:assert/strict";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { after, describe, it } from "node:test";
import { daysFromNow, type Issued, issueCertificate } from "#test/support/certificates.ts";
import { makeKeyStore } from "#test/support/key-stores.ts";
import { startApi } from "#test/support/start-api.ts";
import {
  APPLE_YML,
  authority,
  fingerprintOf,
  issuePassCertificate,
  PASS_NAME,
  PASS_TYPE,
  pemOf,
  stranger,
  TEAM,
  walletStage,
} from "#test/support/wallet-credentials.ts";

const api = await startApi({ after }, { env: { BASE_URL: "https://passes.example.com" } });
const key = api.operatorKey;
const { newTenant, put, health, secretOf } = walletStage(api);

const store = (issued: Issued, more: object = {}) =>
  makeKeyStore({ ...issued, chain: authority.certificate, passphrase: "secret words", ...more });
const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString("base64");
describe("PUT /api/:tenantId/admin/wallets/apple/certificate (apple-certificate.put)", () => {
  const good = issuePassCertificate();
  const passphrase = "secret words";

  it("200: a .p12 as OpenSSL and as Keychain makes it, and the passes can be signed", async () => {
    for (const options of [[], ["-legacy"]]) {
      const tenantId = await newTenant();
      const res = await put(tenantId, { file: base64(store(good, { options })), passphrase });
      assert.equal(res.status, 200, res.text);
      assert.deepEqual([res.body.slot, res.body.problems, res.body.files], ["current", [], {}]);
      const { fingerprint, passTypeIdentifier, teamIdentifier, hasKey, isChainComplete } =
        res.body.certificate;
      assert.deepEqual(
        { fingerprint, passTypeIdentifier, teamIdentifier, hasKey, isChainComplete },
        {
          fingerprint: fingerprintOf(good),
          passTypeIdentifier: PASS_TYPE,
          teamIdentifier: TEAM,
          hasKey: true,
          isChainComplete: true,
        },
      );
      assert.equal(await secretOf(tenantId, "APPLE-KEY"), good.keyPem);
      const stored = (await secretOf(tenantId, "APPLE-CERTIFICATE")) ?? "";
      assert.equal(stored.match(/BEGIN CERTIFICATE/g)?.length, 2);
      const { inUse, isDevelopment, isConfigured } = await health(tenantId);
      assert.deepEqual([inUse, isDevelopment, isConfigured], ["current", false, true]);
    }
  });

  it("200: PEM, apart or in one file, and a certificate and intermediate in DER", async () => {
    const der = new X509Certificate(good.certificate).raw;
    const bodies = [
      pemOf(good),
      { certificate: `${good.keyPem}${good.certificate}${authority.certificate}` },
      { file: base64(`${authority.certificate}${good.certificate}\r\n${good.keyPem}`) },
      {
        file: base64(der),
        key: good.keyPem,
        intermediate: base64(new X509Certificate(authority.certificate).raw),
      },
    ];
    for (const body of bodies) {
      const res = await put(await newTenant(), body);
      assert.equal(res.status, 200, res.text);
      assert.equal(res.body.certificate.fingerprint, fingerprintOf(good));
      assert.deepEqual(res.body.problems, []);
    }
  });

  it("200: a key in PEM that is encrypted is stored in the form that the file names", async () => {
    const apple = APPLE_YML.replace(" }", ", passphrase: WORDS, intermediate: CHAIN }");
    const tenantId = await newTenant(apple);
    for (const type of ["pkcs8", "sec1"] as const) {
      const locked = good.key
        .export({ type, format: "pem", cipher: "aes-256-cbc", passphrase })
        .toString();
      const res = await put(tenantId, { ...pemOf(good), key: locked, passphrase });
      assert.equal(res.status, 200, res.text);
      assert.match((await secretOf(tenantId, "APPLE-KEY")) ?? "", /BEGIN ENCRYPTED PRIVATE KEY/);
      assert.notEqual(await secretOf(tenantId, "WORDS"), passphrase);
      assert.match((await secretOf(tenantId, "CHAIN")) ?? "", /BEGIN CERTIFICATE/);
      const { isConfigured, problems, current } = await health(tenantId);
      assert.ok(isConfigured && current.hasKey && current.isChainComplete);
      assert.deepEqual(
        problems.map(({ code }: { code: string }) => code),
        ["credential.not-apple"],
      );
    }
  });

  it("200: without server/apple.yml the answer has that file, and it is used once published", async () => {
    const tenantId = await newTenant("");
    const res = await put(tenantId, { file: base64(store(good)), passphrase });
    assert.equal(res.status, 200, res.text);
    assert.match(res.body.files["server/apple.yml"], /passTypeIdentifier: pass\.example/);
    const before = await health(tenantId);
    assert.deepEqual([before.isConfigured, before.inUse], [false, "development"]);
    assert.ok(before.problems.some(({ code }: { code: string }) => code === "credential.not-used"));
    const body = { files: res.body.files };
    assert.ok((await api.patch(`/api/tenants/${tenantId}`, { key, body })).status < 300);
    assert.equal((await health(tenantId)).isConfigured, true);
  });

  it("200: pushes that Apple refused are tried again at once", async () => {
    const tenantId = await newTenant();
    await api.sql(
      `insert into apple_push_pause (tenant_id, kind, reason, since, until, count)
       values ($1, 'refused', 'BadCertificate', now(), now() + interval '15 minutes', 1)`,
      [tenantId],
    );
    const res = await put(tenantId, { file: base64(store(good)), passphrase });
    assert.equal(res.status, 200, res.text);
    const rows = await api.sql("select from apple_push_pause where tenant_id = $1", [tenantId]);
    assert.equal(rows.length, 0);
  });

  it("200: warns of one that expires soon", async () => {
    const { status, body } = await put(
      await newTenant(),
      pemOf(issuePassCertificate({ to: daysFromNow(20) })),
    );
    assert.equal(status, 200);
    const codes = body.problems.map(({ code }: { code: string }) => code);
    assert.deepEqual(codes, ["credential.expires-soon"]);
  });

  it("200: the intermediate need not be sent again with a renewed certificate", async () => {
    const tenantId = await newTenant();
    await put(tenantId, pemOf(good));
    const { certificate, keyPem } = issuePassCertificate();
    const res = await put(tenantId, { certificate, key: keyPem });
    assert.deepEqual([res.status, res.body.slot], [200, "next"], res.text);
    assert.equal(res.body.certificate.isChainComplete, true);
  });

  const of = (issued: Issued) => ({ file: base64(store(issued)), passphrase });
  const foreignTeam = issuePassCertificate({ name: { ...PASS_NAME, OU: "ZZZZZ99999" } });
  const foreignType = issuePassCertificate({ name: { ...PASS_NAME, UID: "pass.example.other" } });
  const locked = good.key
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase })
    .toString();
  const ed25519 = generateKeyPairSync("ed25519").privateKey.export({
    type: "pkcs8",
    format: "pem",
  });
  const cut = store(good).subarray(0, 400);
  const faults: readonly [string, object, string, RegExp][] = [
    ["nothing at all", {}, "file", /is needed/],
    ["an empty file", { file: "" }, "file", /./],
    ["blanks", { file: "  \n" }, "file", /is empty/],
    ["what is not base64", { file: "%%%hunter2" }, "file", /not base64/],
    ["garbage", { file: base64("hunter2 hunter2") }, "file", /neither a \.p12/],
    ["garbage in DER", { file: base64("0\u0003\u0002\u0001\u0003") }, "file", /neither a \.p12/],
    ["a store without content", { file: "MAUCAQMwAA==" }, "file", /damaged/],
    ["a store cut off", { file: base64(cut), passphrase }, "file", /neither a \.p12|damaged/],
    ["too much", { file: base64(Buffer.alloc(70_000, 48)) }, "file", /larger than 64 KiB/],
    ["far too much", { file: "A".repeat(120_000) }, "file", /./],
    [
      "two certificates at once",
      { ...of(good), certificate: good.certificate },
      "certificate",
      /together/,
    ],
    ["no passphrase", { file: base64(store(good)) }, "passphrase", /is needed/],
    ["a wrong passphrase", { ...of(good), passphrase: "hunter2" }, "passphrase", /does not open/],
    [
      "a locked key without its passphrase",
      { ...pemOf(good), key: locked },
      "passphrase",
      /is needed/,
    ],
    [
      "a locked key with another passphrase",
      { ...pemOf(good), key: locked, passphrase: "hunter2" },
      "passphrase",
      /does not open/,
    ],
    ["no key", { certificate: good.certificate }, "key", /no private key was sent/],
    [
      "a store without a key",
      { file: base64(makeKeyStore({ certificate: good.certificate, passphrase })), passphrase },
      "key",
      /no private key was sent/,
    ],
    ["a key that is none", { ...pemOf(good), key: "hunter2" }, "key", /not a private key/],
    [
      "a key that is a certificate",
      { ...pemOf(good), key: good.certificate },
      "key",
      /no private key/,
    ],
    ["a key of another kind", { ...pemOf(good), key: String(ed25519) }, "key", /RSA, or elliptic/],
    [
      "the key of another certificate",
      { ...pemOf(good), key: stranger.keyPem },
      "key",
      /does not belong/,
    ],
    [
      "another team",
      of(foreignTeam),
      "file",
      /team 'ZZZZZ99999', and server\/apple.yml says 'ABCDE12345'/,
    ],
    ["another pass type", pemOf(foreignType), "certificate", /pass type 'pass.example.other'/],
    ["an expired one", of(issuePassCertificate({ to: daysFromNow(-2) })), "file", /expired on/],
    [
      "one of tomorrow",
      pemOf(issuePassCertificate({ from: daysFromNow(1) })),
      "certificate",
      /is valid from/,
    ],
    [
      "no intermediate",
      { certificate: good.certificate, key: good.keyPem },
      "intermediate",
      /is needed: .*'Example Authority' \(G4\)/,
    ],
    [
      "another intermediate",
      { ...pemOf(good), intermediate: stranger.certificate },
      "intermediate",
      /did not issue/,
    ],
    [
      "an intermediate that is none",
      { ...pemOf(good), intermediate: "hunter2!" },
      "intermediate",
      /not base64|not a certificate/,
    ],
    [
      "a store with another intermediate",
      { file: base64(store(good, { chain: stranger.certificate })), passphrase },
      "file",
      /did not issue/,
    ],
    [
      "what is not a certificate",
      { ...pemOf(good), certificate: "hunter2" },
      "certificate",
      /not a certificate/,
    ],
    [
      "a damaged certificate",
      { ...pemOf(good), certificate: good.certificate.replace("MI", "MA") },
      "certificate",
      /damaged/,
    ],
    [
      "half of a certificate",
      { ...pemOf(good), certificate: good.certificate.slice(0, 200) },
      "certificate",
      /cut off/,
    ],
    ["only a key", { file: base64(good.keyPem) }, "file", /no certificate/],
    [
      "too many parts",
      { ...pemOf(good), certificate: good.certificate.repeat(11) },
      "certificate",
      /more than 10/,
    ],
  ];
  it("400: each fault is named with its member, and nothing is stored", async () => {
    const tenantId = await newTenant();
    for (const [title, body, field, message] of faults) {
      const res = await put(tenantId, body);
      assert.equal(res.status, 400, `${title}: ${res.text}`);
      assert.match(String(res.body.errors?.[field]), message, `${title}: ${res.text}`);
      assert.doesNotMatch(res.text, /hunter2|secret words|PRIVATE KEY/, title);
    }
    assert.deepEqual((await api.get(`/api/${tenantId}/secrets`, { key })).body, []);
    const rows = await api.sql("select 1 from audit where op = $1 and tenant_id = $2", [
      "apple-certificate.put",
      tenantId,
    ]);
    assert.deepEqual(rows, []);
  });

  it("400: a certificate that is not for passes, where no file says what is expected", async () => {
    const plain = issueCertificate({ name: { CN: "example.com" }, issuer: authority });
    const res = await put(await newTenant(""), pemOf(plain));
    assert.equal(res.status, 400);
    assert.match(String(res.body.errors.certificate), /not a certificate for passes/);
  });
});
