import assert from "node:assert/strict";
import { createPublicKey, X509Certificate } from "node:crypto";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { issueCertificate } from "#test/support/certificates.ts";
import { describeRequest } from "#test/support/key-stores.ts";
import { startApi } from "#test/support/start-api.ts";
import {
  APPLE_YML,
  authority,
  fingerprintOf,
  issuePassCertificate,
  pemOf,
  TEAM,
  walletStage,
} from "#test/support/wallet-credentials.ts";
import { appleSignerOf } from "../../apple/signing/apple-signer.ts";

const api = await startApi({ after });
const key = api.operatorKey;
const { newTenant, put, post, health, secretOf } = walletStage(api);

const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString("base64");

describe("POST /api/:tenantId/admin/wallets/apple/request (apple-certificate.request)", () => {
  const publicKeyIn = (request: string) => {
    const told = describeRequest(request);
    const [publicPem = ""] =
      /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/.exec(told) ?? [];
    return { told, publicKey: createPublicKey(publicPem) };
  };

  it("200: OpenSSL accepts the request, and its certificate is stored without a key", async () => {
    const tenantId = await newTenant();
    const res = await post(tenantId, "request", { commonName: "Café Lune" });
    assert.equal(res.status, 200, res.text);
    assert.doesNotMatch(res.text, /PRIVATE/);
    const { told, publicKey } = publicKeyIn(res.body.request);
    assert.match(told, /Public-Key: \(2048 bit\)/);
    assert.match(told, /CN ?= ?Caf/);
    assert.equal((await health(tenantId)).openRequests, 1);

    const issued = issuePassCertificate({ publicKey });
    const stored = await put(tenantId, {
      file: base64(new X509Certificate(issued.certificate).raw),
      intermediate: authority.certificate,
    });
    assert.equal(stored.status, 200, stored.text);
    assert.deepEqual([stored.body.slot, stored.body.certificate.hasKey], ["current", true]);
    const { isConfigured, openRequests } = await health(tenantId);
    assert.deepEqual([isConfigured, openRequests], [true, 0]);
    // Again, as by someone who is not sure that it worked.
    const again = await put(tenantId, {
      certificate: issued.certificate,
      intermediate: authority.certificate,
    });
    assert.deepEqual([again.status, again.body.slot], [200, "current"]);
  });

  it("200: the three newest requests are remembered", async () => {
    const tenantId = await newTenant();
    const requests: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      requests.push((await post(tenantId, "request")).body.request);
    }
    assert.equal((await health(tenantId)).openRequests, 3);
    const [oldest = "", second = ""] = requests;
    const sent = (request: string) => {
      const { certificate } = issuePassCertificate({ publicKey: publicKeyIn(request).publicKey });
      return put(tenantId, { certificate, intermediate: authority.certificate });
    };
    assert.equal((await sent(oldest)).status, 400);
    assert.equal((await sent(second)).status, 200);
  });

  it("200: requests made at once are all remembered, also the first ones", async () => {
    const tenantId = await newTenant();
    await Promise.all(Array.from({ length: 3 }, () => post(tenantId, "request")));
    assert.equal((await health(tenantId)).openRequests, 3);
  });
});

describe("POST /api/:tenantId/admin/wallets/apple/rotate (apple-certificate.rotate)", () => {
  const auditOf = (tenantId: string) =>
    api.sql(
      "select op, before, after from audit where tenant_id = $1 and target = 'wallet:apple' order by id",
      [tenantId],
    );

  it("200: activates the next certificate, and the same call switches back", async () => {
    const tenantId = await newTenant();
    const [first, second] = [issuePassCertificate(), issuePassCertificate()];
    await put(tenantId, pemOf(first));
    assert.equal((await put(tenantId, pemOf(second))).body.slot, "next");
    assert.equal(await secretOf(tenantId, "APPLE-KEY"), first.keyPem);

    const rotated = await post(tenantId, "rotate");
    assert.equal(rotated.status, 200, rotated.text);
    assert.equal(rotated.body.current.fingerprint, fingerprintOf(second));
    assert.equal(rotated.body.next.fingerprint, fingerprintOf(first));
    assert.equal(await secretOf(tenantId, "APPLE-KEY"), second.keyPem);
    const { current, next, isConfigured } = await health(tenantId);
    assert.deepEqual([current, next], [rotated.body.current, rotated.body.next]);
    assert.ok(isConfigured && current.isChainComplete && next.isChainComplete);

    const back = await post(tenantId, "rotate");
    assert.equal(back.body.current.fingerprint, fingerprintOf(first));
    assert.equal(await secretOf(tenantId, "APPLE-KEY"), first.keyPem);
    const rows = await auditOf(tenantId);
    assert.deepEqual(
      rows.map(({ op }) => op),
      [
        "apple-certificate.put",
        "apple-certificate.put",
        "apple-certificate.rotate",
        "apple-certificate.rotate",
      ],
    );
    assert.doesNotMatch(JSON.stringify(rows), /PRIVATE KEY|BEGIN/);
  });

  it("200: two at once are one after the other", async () => {
    const tenantId = await newTenant();
    const [first, second] = [issuePassCertificate(), issuePassCertificate()];
    await put(tenantId, pemOf(first));
    await put(tenantId, pemOf(second));
    const answers = await Promise.all(Array.from({ length: 4 }, () => post(tenantId, "rotate")));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const { current, next, isConfigured } = await health(tenantId);
    assert.equal(isConfigured, true);
    assert.deepEqual(
      [current.fingerprint, next.fingerprint],
      [fingerprintOf(first), fingerprintOf(second)],
    );
  });

  it("200: a certificate that cannot sign gives way and is not lost", async () => {
    const tenantId = await newTenant();
    const value = "not a key";
    await put(tenantId, pemOf(issuePassCertificate()));
    await api.put(`/api/${tenantId}/secrets/APPLE-KEY`, { key, body: { value } });
    assert.equal((await health(tenantId)).isConfigured, false);
    const second = issuePassCertificate();
    assert.equal((await put(tenantId, { ...pemOf(second), slot: "next" })).body.slot, "next");
    assert.equal((await post(tenantId, "rotate")).status, 200);
    assert.equal((await health(tenantId)).isConfigured, true);
    const back = await post(tenantId, "rotate");
    assert.deepEqual([back.status, back.body.code], [409, "apple-certificate.next-unusable"]);
    assert.equal(await secretOf(tenantId, "APPLE-KEY"), second.keyPem);
  });

  it("200: the intermediate goes with its certificate", async () => {
    const tenantId = await newTenant(APPLE_YML.replace(" }", ", intermediate: CHAIN }"));
    const other = issueCertificate({ name: { CN: "Example Authority", OU: "G5" } });
    await put(tenantId, pemOf(issuePassCertificate()));
    await put(tenantId, {
      ...pemOf(issuePassCertificate({ issuer: other })),
      intermediate: other.certificate,
    });
    const before = await secretOf(tenantId, "CHAIN");
    assert.equal((await post(tenantId, "rotate")).body.current.isChainComplete, true);
    assert.notEqual(await secretOf(tenantId, "CHAIN"), before);
    assert.equal((await health(tenantId)).isConfigured, true);
    await post(tenantId, "rotate");
    assert.equal(await secretOf(tenantId, "CHAIN"), before);
  });

  it("200: the next bundle is signed by the certificate in use", async () => {
    const tenantId = await newTenant();
    const [first, second] = [issuePassCertificate(), issuePassCertificate()];
    const signer = async () => {
      const call = systemCall(api.runtime, "apple.test", { tenantId });
      return fingerprintOf({ certificate: (await appleSignerOf(call)).certificatePem });
    };
    await put(tenantId, pemOf(first));
    assert.equal(await signer(), fingerprintOf(first));
    await put(tenantId, pemOf(second));
    assert.equal(await signer(), fingerprintOf(first));
    await post(tenantId, "rotate");
    assert.equal(await signer(), fingerprintOf(second));
    await post(tenantId, "rotate");
    assert.equal(await signer(), fingerprintOf(first));
  });

  it("409: what somebody else stored under the name of the slot is not taken for one", async () => {
    const tenantId = await newTenant();
    for (const value of ["text", "[1]", "{}", '{"key":1}', '{"certificate":"x","key":"y"}']) {
      for (const name of ["APPLE-SLOT-NEXT", "APPLE-SLOT-REQUESTS"]) {
        await api.put(`/api/${tenantId}/secrets/${name}`, { key, body: { value } });
      }
      const res = await post(tenantId, "rotate");
      assert.equal(res.status, 409, res.text);
      assert.equal((await api.get(`/api/${tenantId}/admin/wallets`, { key })).status, 200);
    }
    assert.equal((await put(tenantId, pemOf(issuePassCertificate()))).status, 200);
  });

  it("409: nothing waits, or what waits does not fit the published file", async () => {
    const tenantId = await newTenant();
    const empty = await post(tenantId, "rotate");
    assert.deepEqual([empty.status, empty.body.code], [409, "apple-certificate.next-missing"]);
    await put(tenantId, { ...pemOf(issuePassCertificate()), slot: "next" });
    const files = { "server/apple.yml": APPLE_YML.replace(TEAM, "ZZZZZ99999") };
    await api.patch(`/api/tenants/${tenantId}`, { key, body: { files } });
    const res = await post(tenantId, "rotate");
    assert.deepEqual([res.status, res.body.code], [409, "apple-certificate.next-unusable"]);
    assert.match(res.body.detail, /teamIdentifier/);
  });
});
