import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { daysFromNow } from "#test/support/certificates.ts";
import { makeKeyStore } from "#test/support/key-stores.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import { NFC_KEY } from "#test/support/template-files.ts";
import {
  APPLE_YML,
  authority,
  fingerprintOf,
  issuePassCertificate,
  PASS_NAME,
  PASS_TYPE,
  pemOf,
  serviceAccountOf,
  TEAM,
  walletStage,
} from "#test/support/wallet-credentials.ts";
import { appleSignerOf } from "../apple/signing/apple-signer.ts";
import { checkCredentials } from "./credential.jobs.ts";

const DAY_MS = 86_400_000;
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const api = await startApi(
  { after },
  { clock, env: { ROLES: "api", BASE_URL: "https://passes.example.com" } },
);
const key = api.operatorKey;
const { newTenant, put, post, health } = walletStage(api);
const codesOf = (problems: readonly { code: string }[]) => problems.map(({ code }) => code);

describe("GET /api/:tenantId/admin/wallets (wallet.get)", () => {
  it("200: a tenant without credentials works for testing, and is told so", async () => {
    const tenantId = await newTenant("");
    const path = `/api/${tenantId}/admin/wallets`;
    const { status, body, headers } = await api.get(path, { key });
    assert.equal(status, 200);
    const known = { "if-none-match": headers.get("etag") ?? "" };
    assert.equal((await api.get(path, { key, headers: known })).status, 304);
    const { problems, developmentRootPem, ...apple } = body.apple;
    const signer = await appleSignerOf(systemCall(api.runtime, "apple.test", { tenantId }));
    const [issuer = ""] = signer.intermediatesPem;
    const root = new X509Certificate(developmentRootPem);
    assert.ok(new X509Certificate(issuer).verify(root.publicKey), "checks its signatures");
    assert.deepEqual(apple, {
      isConfigured: false,
      isDevelopment: true,
      inUse: "development",
      passTypeIdentifier: null,
      teamIdentifier: null,
      current: null,
      next: null,
      openRequests: 0,
    });
    assert.deepEqual(codesOf(problems), ["credential.none"]);
    assert.match(problems[0].message, /no real phone/);
    assert.deepEqual(codesOf(body.google.problems), ["credential.none"]);
  });

  it("200: in production nothing stands in for a credential", async (t) => {
    const env = { ENVIRONMENT: "production", BASE_URL: "https://passes.example.com", ROLES: "api" };
    const production = await startApi({ after: (undo) => t.after(undo) }, { env });
    await production.seed.tenant("acme");
    const res = await production.get("/api/acme/admin/wallets", { key: production.operatorKey });
    const { inUse, isDevelopment, developmentRootPem, problems } = res.body.apple;
    assert.equal(developmentRootPem, null);
    assert.deepEqual([inUse, isDevelopment, problems[0].severity], [null, false, "error"]);
  });

  it("200: whom the certificate is for, how long it lasts, and its chain", async () => {
    const tenantId = await newTenant();
    const good = issuePassCertificate({ to: daysFromNow(365) });
    await put(tenantId, pemOf(good));
    const { current, passTypeIdentifier, teamIdentifier, problems } = await health(tenantId);
    assert.deepEqual([passTypeIdentifier, teamIdentifier], [PASS_TYPE, TEAM]);
    assert.equal(current.fingerprint, fingerprintOf(good));
    assert.match(current.subject, /UID=pass\.example\.cafe-lune, CN=/);
    assert.equal(current.daysLeft, 364);
    assert.match(current.intermediate.subject, /Example Authority/);
    assert.ok(Date.parse(current.notBefore) < Date.parse(current.notAfter));
    assert.deepEqual(codesOf(problems), ["credential.not-apple"]);
  });

  it("200: that templates have NFC and the certificate has not", async () => {
    const tenantId = await newTenant();
    const card = PASS_FILES["server/passes/loyalty.yml"];
    const files = {
      ...PASS_FILES,
      "server/apple.yml": APPLE_YML,
      "server/passes/loyalty.yml": `${card}nfc: { message: a, encryptionPublicKey: "${NFC_KEY}" }\n`,
    };
    await put(tenantId, pemOf(issuePassCertificate({ to: daysFromNow(365) })));
    const sent = await api.patch(`/api/tenants/${tenantId}`, { key, body: { files } });
    assert.equal(sent.status, 200, sent.text);
    const { isConfigured, problems } = await health(tenantId);
    assert.deepEqual(
      [isConfigured, codesOf(problems)],
      [true, ["credential.not-apple", "credential.no-nfc"]],
    );
    assert.match(problems[1].message, /template of 'loyalty'/);
    const name = { ...PASS_NAME, CN: `Pass Type ID with NFC: ${PASS_TYPE}` };
    const renewed = pemOf(issuePassCertificate({ name, to: daysFromNow(365) }));
    await put(tenantId, { ...renewed, slot: "current" });
    assert.deepEqual(codesOf((await health(tenantId)).problems), ["credential.not-apple"]);
  });

  it("200: what is wrong with secrets that were stored by hand, in plain words", async () => {
    const tenantId = await newTenant();
    const good = issuePassCertificate({ to: daysFromNow(20) });
    const store = (name: string, value: string) =>
      api.put(`/api/${tenantId}/secrets/${name}`, { key, body: { value } });
    await store("APPLE-CERTIFICATE", good.certificate);
    const half = await health(tenantId);
    assert.deepEqual([half.isConfigured, half.inUse, half.current.hasKey], [false, null, false]);
    assert.deepEqual(codesOf(half.problems).sort(), [
      "credential.chain-missing",
      "credential.expires-soon",
      "credential.missing",
      "credential.not-apple",
    ]);
    await store("APPLE-CERTIFICATE", "hunter2");
    const broken = await health(tenantId);
    assert.equal(broken.current, null);
    assert.ok(codesOf(broken.problems).includes("credential.unreadable"));
    await store("APPLE-KEY", good.keyPem);
    await api.sql("update secret set sealed = substring(sealed from 2) where tenant_id = $1", [
      tenantId,
    ]);
    const damaged = await health(tenantId);
    assert.deepEqual([damaged.isConfigured, damaged.inUse], [false, null]);
    assert.equal((await put(tenantId, pemOf(good))).body.slot, "current");
    assert.equal((await health(tenantId)).isConfigured, true);
  });
});

describe("credential.expiring", () => {
  const check = () =>
    checkCredentials.run(
      systemCall(api.runtime, checkCredentials.name),
      {},
      new AbortController().signal,
    );
  const toldOf = (tenantId: string) =>
    api.sql("select data from event where tenant_id = $1 and name = $2 order by id", [
      tenantId,
      "credential.expiring",
    ]);
  const daysTold = async (tenantId: string) =>
    (await toldOf(tenantId)).map(({ data }) => (data as { days: number }).days);

  it("is told 60, 30, 7 and 1 days before, once each however often it is looked at", async () => {
    const tenantId = await newTenant();
    const good = issuePassCertificate({ to: daysFromNow(100.5) });
    await put(tenantId, pemOf(good));
    try {
      for (const day of [0, 39, 40, 41, 69, 70, 71, 92, 93, 94, 98, 99, 100, 101, 102]) {
        aheadMs = day * DAY_MS;
        await Promise.all([check(), check()]);
        await check();
      }
    } finally {
      aheadMs = 0;
    }
    assert.deepEqual(await daysTold(tenantId), [60, 30, 7, 1]);
    const [first] = await toldOf(tenantId);
    assert.ok(first !== undefined);
    const { expiresAt, subject, ...data } = first.data as Record<string, unknown>;
    assert.deepEqual(data, {
      wallet: "apple",
      kind: "certificate",
      days: 60,
      fingerprint: fingerprintOf(good),
    });
    assert.match(String(expiresAt), /Z$/);
    assert.match(String(subject), /UID=pass/);
  });

  it("is told once for a certificate that came late, and anew for the one after it", async () => {
    const tenantId = await newTenant();
    await put(tenantId, pemOf(issuePassCertificate({ to: daysFromNow(5.5) })));
    await check();
    await check();
    assert.deepEqual(await daysTold(tenantId), [5]);
    await put(tenantId, pemOf(issuePassCertificate({ to: daysFromNow(40.5) })));
    await check();
    assert.deepEqual(await daysTold(tenantId), [5]);
    await post(tenantId, "rotate");
    await check();
    assert.deepEqual(await daysTold(tenantId), [5, 40]);
  });

  it("is not told of a certificate that no file names, and a broken tenant holds up no other", async () => {
    const unused = await newTenant("");
    await put(unused, pemOf(issuePassCertificate({ to: daysFromNow(5.5) })));
    const broken = await newTenant();
    const path = `/api/${broken}/secrets/APPLE-CERTIFICATE`;
    await api.put(path, { key, body: { value: "hunter2" } });
    const fine = await newTenant();
    await put(fine, pemOf(issuePassCertificate({ to: daysFromNow(5.5) })));
    await check();
    assert.deepEqual(await daysTold(unused), []);
    assert.deepEqual(await daysTold(broken), []);
    assert.deepEqual(await daysTold(fine), [5]);
  });
});

describe("private keys and passphrases", () => {
  it("are in no answer, log, event, audit row or table, whatever is done with them", async () => {
    const tenantId = await newTenant(APPLE_YML);
    const passphrase = "open sesame of the export";
    const [first, second] = [issuePassCertificate(), issuePassCertificate({ to: daysFromNow(5) })];
    const file = makeKeyStore({ ...first, chain: authority.certificate, passphrase });
    const account = serviceAccountOf("traces");
    const google = `/api/${tenantId}/admin/wallets/google/account`;
    const answers = [
      await put(tenantId, { file: file.toString("base64"), passphrase }),
      await put(tenantId, { file: file.toString("base64"), passphrase: `${passphrase}!` }),
      await put(tenantId, { ...pemOf(second), passphrase, other: first.keyPem }),
      await put(tenantId, { ...pemOf(second), key: first.keyPem }),
      await put(tenantId, pemOf(second)),
      await post(tenantId, "request"),
      await post(tenantId, "rotate"),
      await api.put(google, { key, body: account }),
      await api.put(google, { key, body: { ...account, type: "x" } }),
      await api.get(`/api/${tenantId}/admin/wallets`, { key }),
      await api.get(`/api/${tenantId}/admin/audit`, { key }),
      await api.get(`/api/${tenantId}/secrets`, { key }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400, 400, 400, 200, 200, 200, 200, 400, 200, 200, 200],
    );
    await checkCredentials.run(
      systemCall(api.runtime, checkCredentials.name),
      {},
      new AbortController().signal,
    );
    const tables = await api.sql(`select format('%I.%I', schemaname, tablename) as name
                                    from pg_tables where schemaname = 'public'`);
    const rows: unknown[] = [];
    for (const { name } of tables) {
      rows.push(...(await api.sql(`select line::text as text from ${String(name)} as line`)));
    }
    const places = [...answers.map(({ text }) => text), ...api.logLines, JSON.stringify(rows)];
    const all = places.join("\n");
    // The known text must be found, which proves that the search works.
    assert.ok(all.includes(fingerprintOf(first)));
    for (const pem of [first.keyPem, second.keyPem, account.private_key]) {
      const line = pem.split("\n")[1] ?? "";
      const hex = Buffer.from(line).toString("hex");
      assert.ok(line.length > 40 && !all.includes(line) && !all.includes(hex));
    }
    assert.ok(!all.includes(passphrase) && !all.includes("PRIVATE KEY"));
  });
});
