import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createDevice } from "#test/support/apple-stage.ts";
import { daysFromNow } from "#test/support/certificates.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import {
  APPLE_YML,
  authority,
  issuePassCertificate,
  PASS_NAME,
  PASS_TYPE,
} from "#test/support/wallet-credentials.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { appleTokenOf } from "../apple/bundle/bundle.service.ts";

const api = await startApi({ after }, { env: { APNS_URL: "https://127.0.0.1:9" } });
const key = api.operatorKey;
const good = issuePassCertificate();
const secretsOf = ({ certificate, keyPem }: typeof good) => ({
  "APPLE-CERTIFICATE": `${certificate}\n${authority.certificate}`,
  "APPLE-KEY": keyPem,
});
const locked = good.key
  .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret words" })
  .toString();

const faults: readonly [string, Record<string, string>, RegExp][] = [
  [
    "of another team",
    secretsOf(issuePassCertificate({ name: { ...PASS_NAME, OU: "ZZZZZ99999" } })),
    /ZZZZZ99999/,
  ],
  [
    "of another pass type",
    secretsOf(issuePassCertificate({ name: { ...PASS_NAME, UID: "pass.example.other" } })),
    /pass\.example\.other/,
  ],
  ["expired", secretsOf(issuePassCertificate({ to: daysFromNow(-2) })), /expired on/],
  [
    "without its key",
    { "APPLE-CERTIFICATE": `${good.certificate}\n${authority.certificate}` },
    /APPLE-KEY/,
  ],
  [
    "with the key of another",
    { ...secretsOf(good), "APPLE-KEY": issuePassCertificate().keyPem },
    /does not belong/,
  ],
  ["with a key that is locked", { ...secretsOf(good), "APPLE-KEY": locked }, /passphrase/i],
];

/** Secrets are stored one by one, so anything may be in them; the upload refuses all of these. */
describe("a pass type certificate", () => {
  for (const [index, [title, secrets, words]] of faults.entries()) {
    it(`409 ${title}: devices and visitors get no pass, and the administrator learns why`, async () => {
      const tenantId = `faulty-${index}`;
      await seedPassTenant(api, tenantId, { "server/apple.yml": APPLE_YML });
      const { id, secret, links } = await seedPass(api, tenantId);
      const pass = { id, token: appleTokenOf({ secret }) };
      const base = `/.well-known/wallet/${tenantId}/v1`;
      const phone = createDevice(api, { base, passType: PASS_TYPE }, `phone-${index}`);
      // Until the secrets come, the development authority signs.
      assert.equal((await phone.fetch(pass)).status, 200);
      assert.equal((await phone.register(pass)).status, 201);
      for (const [name, value] of Object.entries(secrets)) {
        const path = `/api/${tenantId}/secrets/${name}`;
        assert.ok((await api.put(path, { key, body: { value } })).status < 300);
      }

      const { body: health } = await api.get(`/api/${tenantId}/admin/wallets`, { key });
      assert.deepEqual([health.apple.isConfigured, health.apple.inUse], [false, null]);
      assert.match(JSON.stringify(health.apple.problems), words);

      const bundle = await api.get(`${new URL(links.landing).pathname}/pass.pkpass`);
      assert.equal(bundle.status, 409);
      assert.doesNotMatch(bundle.text, /certificate|ZZZZZ/);
      const fetched = await phone.fetch(pass);
      assert.equal(fetched.status, 409, fetched.text);
      assert.doesNotMatch(fetched.text, /PRIVATE|secret words/);
      const body = { additionalData: { firstName: "Ada" } };
      assert.equal((await api.patch(`/api/${tenantId}/passes/${id}`, { key, body })).status, 202);
      const deliveries = async () =>
        (await api.get(`/api/${tenantId}/passes/${id}/deliveries`, { key })).body;
      await until(async () => (await deliveries()).queue.state === "refused");
      assert.equal((await deliveries()).queue.reason, "wallet.apple-not-usable");
      assert.equal((await deliveries()).deliveries[0].state, "queued");
      const told = api.logLines.filter((line) => line.includes(tenantId) && words.test(line));
      assert.ok(told.length > 0, "the log says it in words");

      for (const [name, value] of Object.entries(secretsOf(good))) {
        await api.put(`/api/${tenantId}/secrets/${name}`, { key, body: { value } });
      }
      assert.equal((await phone.fetch(pass)).status, 200, "at once when it is mended");
    });
  }
});
