import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { getPass } from "#src/passes/public.ts";
import { openBundle } from "#test/support/apple-bundle.ts";
import { ENROLMENT_FILES } from "#test/support/enrolment-tenant.ts";
import { seedGoogleTenant, startGoogle } from "#test/support/google-stand-in.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";
import {
  APPLE_YML,
  issuePassCertificate,
  pemOf,
  serviceAccountOf,
  walletStage,
} from "#test/support/wallet-credentials.ts";
import { appleBundleOf } from "../apple/bundle/bundle.service.ts";

type Coded = { readonly code: string };
const codesOf = (problems: readonly Coded[]) => problems.map(({ code }) => code);
const google = await startGoogle({ after });
const env = { GOOGLE_WALLET_URL: google.url };
const secureEnv = { ...env, BASE_URL: "https://passes.example.com" };
const http = await startApi({ after }, { env });
const https = await startApi({ after }, { env: secureEnv });

for (const [scheme, api] of Object.entries({ http, https })) {
  const isSecure = scheme === "https";
  const key = api.operatorKey;
  const { put, health } = walletStage(api);
  const unreachable = isSecure ? [] : ["apple.service-unreachable"];
  const noImages = isSecure ? [] : ["google.images-unreachable"];

  describe(`a service that phones reach by ${scheme}`, () => {
    it("200: a pass of a real certificate names the web service only where iOS accepts it", async () => {
      await seedPassTenant(api, "real", {
        "server/apple.yml": APPLE_YML,
        "layouts/loyalty.apple.yml":
          "webServiceURL: http://elsewhere.example\nauthenticationToken: 0123456789abcdef\n",
      });
      const pass = await seedPass(api, "real");
      const context = systemCall(api.runtime, "apple.test", { tenantId: "real" });
      const read = async () => {
        const { bytes } = await appleBundleOf(context, await getPass(context, pass.id));
        return (await openBundle(bytes)).json;
      };
      const trial = await read();
      assert.ok(trial.webServiceURL.startsWith(`${scheme}://`), "for testing, any address will do");
      const res = await put("real", pemOf(issuePassCertificate()));
      assert.equal(res.status, 200, res.text);
      assert.deepEqual(codesOf(res.body.problems), unreachable);
      const json = await read();
      assert.equal(json.passTypeIdentifier, "pass.example.cafe-lune");
      assert.deepEqual(
        ["webServiceURL" in json, "authenticationToken" in json],
        [isSecure, isSecure],
      );
      const { isConfigured, problems } = await health("real");
      assert.equal(isConfigured, true);
      assert.deepEqual(codesOf(problems), ["credential.not-apple", ...unreachable]);
    });

    it("200: a pass asks its holder to sign up only where the answers can come back", async () => {
      const tenantId = "club";
      const files = { ...ENROLMENT_FILES, "server/apple.yml": APPLE_YML };
      await seedPassTenant(api, tenantId, files);
      const stored = await put(tenantId, pemOf(issuePassCertificate()));
      assert.equal(stored.status, 200, stored.text);
      const { id } = await seedPass(api, tenantId);
      const context = systemCall(api.runtime, "apple.test", { tenantId });
      const { bytes } = await appleBundleOf(context, await getPass(context, id));
      const bundle = await openBundle(bytes);
      assert.equal("webServiceURL" in bundle.json, isSecure);
      assert.ok("nfc" in bundle.json);
      const asked = [...bundle.files.keys()].filter((name) => name.includes("personalization"));
      assert.equal(asked.length > 0, isSecure, asked.join());
    });

    it("200: the next publication says so beside the file of the certificate", async () => {
      const body = { files: { "server/apple.yml": `${APPLE_YML}# Again.\n` } };
      const { status, body: sent, text } = await api.patch("/api/tenants/real", { key, body });
      assert.equal(status, 200, text);
      const { warnings } = sent;
      const found = warnings.filter(({ file }: { file: string }) => file === "server/apple.yml");
      assert.deepEqual(codesOf(found), unreachable);
    });

    it("200: an account of Google's: the answer, the health and the check say it", async () => {
      await api.seed.tenant("fresh");
      const stored = await api.put("/api/fresh/admin/wallets/google/account", {
        key,
        body: serviceAccountOf("pixel"),
      });
      assert.equal(stored.status, 200, stored.text);
      assert.deepEqual(codesOf(stored.body.problems), ["credential.not-used", ...noImages]);
      await seedGoogleTenant(api, `pixel-${scheme}`);
      const { body } = await api.get(`/api/pixel-${scheme}/admin/wallets`, { key });
      assert.deepEqual(codesOf(body.google.problems), noImages);
      google.fail(() => ({ status: 200, body: { resources: [] } }));
      const check = await api.post(`/api/pixel-${scheme}/admin/wallets/google/check`, { key });
      assert.equal(check.status, 200, check.text);
      const { step, isOk, hint } = check.body.steps.at(-1);
      assert.deepEqual([step, isOk, check.body.isOk], ["address", isSecure, isSecure]);
      assert.equal(hint === null, isSecure);
    });

    it("200: an account of the simulator is not judged by the address", async () => {
      await api.seed.tenant("toy");
      const body = serviceAccountOf("billfold-simulator");
      const stored = await api.put("/api/toy/admin/wallets/google/account", { key, body });
      assert.equal(stored.status, 200, stored.text);
      assert.deepEqual(codesOf(stored.body.problems), ["credential.not-used"]);
    });
  });
}
