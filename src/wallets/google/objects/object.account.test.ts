import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import {
  askForLink,
  ISSUER_ID,
  SERVICE_ACCOUNT,
  seedGoogleTenant,
} from "#test/support/google-stand-in.ts";
import { PASS_FILES, seedPass } from "#test/support/pass-tenant.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { googleAccountOf } from "../google-account.ts";
import { findObject } from "./object.repository.ts";
import { noteFailure } from "./object.service.ts";

const { google, api, savedPass } = await startGoogleFixture({ after });
const key = api.operatorKey;

describe("a refusal that Google tells of an account", () => {
  it("halts the tenant, unless another account acts for it by then", async () => {
    await seedGoogleTenant(api, "renewed");
    const id = await savedPass("renewed");
    const contextNow = () => systemCall(api.runtime, "test", { tenantId: "renewed" });
    const account = await googleAccountOf(contextNow());
    const object = await findObject(contextNow(), id);
    assert.ok(object !== undefined);
    const deny = async () => {
      const context = contextNow();
      const sending = { context, token: randomUUID(), account };
      await noteFailure(sending, object, { kind: "denied", message: "Permission denied." });
      return await api.sql("select from google_halt where tenant_id = 'renewed'");
    };
    assert.equal((await deny()).length, 1);
    await api.sql("delete from google_halt");
    const value = JSON.stringify({ ...JSON.parse(SERVICE_ACCOUNT), private_key_id: "key-2" });
    const path = "/api/renewed/secrets/GOOGLE-SERVICE-ACCOUNT";
    assert.ok((await api.put(path, { key, body: { value } })).status < 300);
    assert.equal((await deny()).length, 0, "the answer to a request of the old account came late");
    const { status } = await askForLink(api, "renewed", (await seedPass(api, "renewed")).id);
    assert.equal(status, 200);
  });
});

describe("a pass whose template is gone", () => {
  it("is shown as inactive when it is disabled, and whole again with a template", async () => {
    await seedGoogleTenant(api, "fading");
    const id = await savedPass("fading");
    const stateOf = () => google.resource("loyaltyObject", `${ISSUER_ID}.${id}`).state;
    const publish = async (file: string | null) => {
      const body = { files: { "server/passes/loyalty.yml": file } };
      const { status, text } = await api.patch("/api/tenants/fading", { key, body });
      assert.ok(status < 300, text);
    };
    const change = async (status: string) => {
      const body = { status, options: { BypassQueue: true } };
      const answer = await api.patch(`/api/fading/passes/${id}`, { key, body });
      assert.ok(answer.status < 300, answer.text);
    };
    await publish(null);
    await change("disabled");
    await until(() => stateOf() === "INACTIVE");
    const problemOf = async () =>
      String(
        (await api.sql("select problem from google_object where pass_id = $1", [id]))[0]?.problem,
      );
    await until(async () => /no template 'loyalty'/.test(await problemOf()));
    await publish(String(PASS_FILES["server/passes/loyalty.yml"]));
    await change("active");
    await until(() => stateOf() === "ACTIVE");
  });
});
