import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openJourneys, person } from "#test/support/journey-stage.ts";
import { shareApi } from "#test/support/start-api.ts";

const ADA = { ...person("C-1"), additionalData: { firstName: "Ada", points: 120 } };

describe("steps of journeys (journey.create-pass, journey.update-pass, journey.notify-pass)", () => {
  const api = shareApi();

  it("200: createPass makes a pass once, and tells where to add it", async () => {
    const { call, passes, events } = await openJourneys(api());
    const { status, body } = await call("createPass", ADA);
    assert.equal(status, 200);
    const { passId, installUrl, ...rest } = body;
    assert.deepEqual(rest, { success: true, status: "created" });
    const page = await api().get(new URL(installUrl).pathname);
    assert.equal(page.status, 200);
    const again = await call("createPass", ADA);
    assert.deepEqual(again.body, { success: true, passId, installUrl, status: "unchanged" });
    const [pass, ...others] = await passes();
    assert.deepEqual(others, []);
    assert.deepEqual(pass?.data, ADA.additionalData);
    assert.deepEqual(await events(), ["pass.created"]);
  });

  it("200: updatePass changes the pass that has the identifiers, by them or by its id", async () => {
    const { call, passes } = await openJourneys(api());
    const { body } = await call("createPass", ADA);
    const changed = await call("updatePass", { ...person("C-1"), additionalData: { points: 140 } });
    assert.equal(changed.body.status, "updated");
    await call("updatePass", { passId: body.passId, additionalData: { firstName: null } });
    assert.deepEqual((await passes())[0]?.data, { points: 140 });
  });

  it("200: notifyPass tells the holder once for each key, whoever repeats it", async () => {
    const { call, events } = await openJourneys(api());
    await call("createPass", ADA);
    const told = { ...person("C-1"), idempotencyKey: "d-1", notification: { text: "Ready." } };
    const answers = [await call("notifyPass", told), await call("notifyPass", told)];
    assert.deepEqual(
      answers.map(({ body }) => body.status),
      ["notified", "notified"],
    );
    await Promise.all([1, 2, 3].map(() => call("notifyPass", { ...told, idempotencyKey: "d-2" })));
    assert.deepEqual(await events(), ["pass.created", "pass.notified", "pass.notified"]);
  });

  it("200: one key for all people is one for each of them, and for each action", async () => {
    const { call, passes } = await openJourneys(api());
    const answers = await Promise.all(
      ["C-1", "C-2"].map((id) => call("createPass", { ...person(id), idempotencyKey: "welcome" })),
    );
    const [first, second] = answers.map(({ body }) => body.passId);
    assert.notEqual(first, second);
    assert.equal((await passes()).length, 2);
    const update = { ...person("C-1"), idempotencyKey: "welcome", additionalData: { points: 1 } };
    assert.equal((await call("updatePass", update)).body.status, "updated");
  });

  it("200: a header in place of a key in the body", async () => {
    const { call, events } = await openJourneys(api());
    await call("createPass", ADA);
    const told = { ...person("C-1"), notification: { text: "Ready." } };
    for (const _time of [1, 2]) {
      const { status, text } = await call("notifyPass", told, { "idempotency-key": "h-1" });
      assert.equal(status, 200, text);
    }
    assert.deepEqual(await events(), ["pass.created", "pass.notified"]);
  });

  it("200: one key in the header is one for each person, and a repetition is told as one", async () => {
    const { call, passes } = await openJourneys(api());
    const headers = { "idempotency-key": "welcome" };
    const first = await call("createPass", person("C-1"), headers);
    const second = await call("createPass", person("C-2"), headers);
    assert.deepEqual([first.body.status, second.body.status], ["created", "created"], second.text);
    assert.notEqual(first.body.passId, second.body.passId);
    const again = await call("createPass", person("C-1"), headers);
    assert.deepEqual(again.body, first.body);
    assert.deepEqual(
      [first, second, again].map((answer) => answer.headers.get("idempotency-replayed")),
      [null, null, "true"],
    );
    assert.equal((await passes()).length, 2);
  });

  it("200: a call that was refused may be sent again with the same key in the header", async () => {
    const { call } = await openJourneys(api());
    const headers = { "idempotency-key": "later" };
    const wanted = { ...person("C-1"), additionalData: { points: 5 } };
    assert.equal((await call("updatePass", wanted, headers)).body.success, false);
    await call("createPass", person("C-1"));
    assert.equal((await call("updatePass", wanted, headers)).body.status, "updated");
  });

  it("400: a header that is no key", async () => {
    const { call, passes } = await openJourneys(api());
    const { status, body } = await call("createPass", ADA, { "idempotency-key": "two words" });
    assert.equal(status, 400);
    assert.ok("Idempotency-Key" in body.errors);
    assert.deepEqual(await passes(), []);
  });

  it("200: calls about one new person at the same time make one pass", async () => {
    const { call, passes } = await openJourneys(api());
    const answers = await Promise.all([1, 2, 3, 4].map(() => call("createPass", ADA)));
    assert.deepEqual(answers.map(({ body }) => body.status).sort(), [
      "created",
      "unchanged",
      "unchanged",
      "unchanged",
    ]);
    assert.equal((await passes()).length, 1);
  });

  it("200: names with dots stand for groups, and texts for what the template wants", async () => {
    const { call, passes } = await openJourneys(api());
    const flat = {
      "identifiers.crm.customerId": 706405,
      "additionalData.firstName": "7",
      "additionalData.points": "12",
      "additionalData.tier": "Deck",
    };
    assert.equal((await call("createPass", flat)).body.status, "created");
    const [pass] = await passes();
    assert.deepEqual(pass?.data, { firstName: "7", points: 12, tier: "Deck" });
    assert.deepEqual(pass?.identifiers, { "crm.customerId": "706405" });
    await call("updatePass", { ...person("706405"), "additionalData.points": "" });
    assert.deepEqual((await passes())[0]?.data, { firstName: "7", tier: "Deck" });
  });

  it("200: an id with more digits than a number can keep keeps them", async () => {
    const { call, passes } = await openJourneys(api());
    await call("createPass", '{"identifiers":{"crm.customerId":706405506930370084}}');
    assert.deepEqual((await passes())[0]?.identifiers, { "crm.customerId": "706405506930370084" });
  });

  it("200: whatever is wrong for one person is told, and nothing is done", async () => {
    const { call, passes } = await openJourneys(api());
    const tries: readonly [action: string, body: object | string, code: string, words: RegExp][] = [
      ["createPass", "", "request.malformed", /empty/],
      ["createPass", '{"identifiers":', "request.malformed", /./],
      ["createPass", "[]", "request.invalid", /object/],
      ["createPass", "12345678901234567890", "request.invalid", /object/],
      ["createPass", {}, "request.invalid", /^identifiers: /],
      ["createPass", { identifiers: "C-1" }, "request.invalid", /^identifiers: /],
      [
        "createPass",
        person(""),
        "request.invalid",
        /^identifiers.crm.customerId: must not be empty/,
      ],
      ["createPass", { ...ADA, colour: "red" }, "request.invalid", /^colour: is not a known/],
      ["createPass", { ...ADA, passType: "nothing" }, "request.invalid", /^passType: /],
      ["createPass", { ...ADA, passId: "ps_1234" }, "request.invalid", /^passId: /],
      ["createPass", { ...ADA, "additionalData.points": "-1" }, "request.invalid", /points: /],
      ["createPass", { ...ADA, "additionalData.tier": "Attic" }, "request.invalid", /tier: /],
      ["createPass", '{"identifiers":{"crm.id":"\\u0000"}}', "request.malformed", /NUL/],
      ["createPass", '{"identifiers":{"a.b":"1","a.b":"2"}}', "request.malformed", /twice/],
      ["createPass", { note: "x".repeat(200_000) }, "request.too-large", /larger/],
      ["updatePass", person("C-404"), "pass.not-found", /C-404|crm.customerId/],
      ["updatePass", { passId: "ps_0000000000" }, "pass.not-found", /ps_0000000000/],
      ["notifyPass", { ...person("C-1"), idempotencyKey: "1" }, "request.invalid", /notification/],
      [
        "notifyPass",
        { ...person("C-1"), notification: { text: "x" } },
        "request.invalid",
        /^idempot/,
      ],
      [
        "updatePass",
        { ...ADA, notification: { text: "x" } },
        "request.invalid",
        /^idempotencyKey: is needed/,
      ],
    ];
    for (const [action, sent, code, words] of tries) {
      const { status, body, text } = await call(action, sent);
      assert.equal(status, 200, `${JSON.stringify(sent).slice(0, 80)}: ${text}`);
      assert.equal(body.success, false, text);
      assert.equal(body.errors[0].code, code, text);
      assert.match(body.errors[0].description, words, text);
    }
    assert.deepEqual(await passes(), []);
  });

  it("200: a call that was refused may be sent again with the same key", async () => {
    const { call } = await openJourneys(api());
    const wanted = { ...person("C-1"), idempotencyKey: "1", additionalData: { points: 5 } };
    assert.equal((await call("updatePass", wanted)).body.success, false);
    await call("createPass", person("C-1"));
    assert.equal((await call("updatePass", wanted)).body.status, "updated");
    assert.equal((await call("updatePass", wanted)).body.status, "updated");
  });

  it("200: what was done for somebody who is erased since is not done again", async () => {
    const { tenantId, call, passes } = await openJourneys(api());
    const wanted = { ...ADA, idempotencyKey: "1" };
    const { body } = await call("createPass", wanted);
    await api().delete(`/api/${tenantId}/passes/${body.passId}`, { key: api().operatorKey });
    const again = await call("createPass", wanted);
    assert.equal(again.body.errors[0].code, "pass.not-found");
    assert.deepEqual(await passes(), []);
  });

  it("200: UpdateMetadata is accepted, and done afterwards", async () => {
    const { call } = await openJourneys(api());
    const options = { UpdateMetadata: true, BypassQueue: true };
    const { body, text } = await call("createPass", { ...ADA, options });
    assert.equal(body.status, "created", text);
  });

  it("404: at once when it is switched off, is not configured, or has no journeys", async () => {
    const { tenantId, call, put, key } = await openJourneys(api());
    await put({ enabled: false });
    const off = await call("createPass", ADA);
    assert.deepEqual([off.status, off.body.code], [404, "extension.not-configured"]);
    await put({ enabled: true });
    assert.equal((await call("createPass", ADA)).status, 200);
    for (const [connector, code] of [
      ["braze", "extension.not-configured"],
      ["shopify", "journey.not-offered"],
      ["nobody", "extension.unknown"],
    ]) {
      const path = `/api/${tenantId}/extensions/${connector}/journey/createPass`;
      const { status, body } = await api().post(path, { key, body: ADA });
      assert.deepEqual([status, body.code], [404, code]);
    }
  });

  it("403: the scope is one of its own", async () => {
    const { tenantId } = await openJourneys(api());
    const key = await api().seed.key(tenantId, "Extension.Write", "Pass.Write");
    const path = `/api/${tenantId}/extensions/klaviyo/journey/createPass`;
    const { status, body } = await api().post(path, { key, body: ADA });
    assert.deepEqual([status, body.requiredScope], [403, "Extension.Journey"]);
  });

  it("every vendor has settings of its own (klaviyo.get, klaviyo.put, klaviyo.delete, braze.get, braze.put, braze.delete, brevo.get, brevo.put, brevo.delete, hubspot.get, hubspot.put, hubspot.delete)", async () => {
    for (const connector of ["klaviyo", "braze", "brevo", "hubspot"]) {
      const { path, call } = await openJourneys(api(), connector);
      assert.equal((await call("createPass", ADA)).body.status, "created", connector);
      const key = api().operatorKey;
      assert.equal((await api().get(path, { key })).body.passType, "member");
      assert.equal((await api().delete(path, { key })).status, 204);
      assert.equal((await call("createPass", ADA)).status, 404, connector);
    }
  });
});

describe("what single vendors need", () => {
  const api = shareApi();

  it("200: Brevo sends a form of its own, and the settings say what goes onto the pass", async () => {
    const { call, passes, events } = await openJourneys(api(), "brevo", {
      fields: { firstName: "attributes.FIRSTNAME" },
      text: "There is something new for you.",
    });
    const contact = {
      appName: "workflow-action-processor",
      attributes: { FIRSTNAME: "Ada", SMS: "33612345678" },
      contact_id: 27007,
      email: "ada@example.com",
      step_id: 5,
      workflow_id: 9,
    };
    assert.equal((await call("createPass", contact)).body.status, "created");
    const [pass] = await passes();
    assert.deepEqual(pass?.identifiers, { "brevo.contactId": "27007" });
    assert.deepEqual(pass?.data, { firstName: "Ada" });
    for (const _time of [1, 2]) await call("notifyPass", contact);
    assert.deepEqual(await events(), ["pass.created", "pass.notified"]);
  });

  it("200: actions of HubSpot have an envelope", async () => {
    const { call, passes } = await openJourneys(api(), "hubspot");
    const action = {
      callbackId: "ap-102670506-56776413549-7-0",
      origin: { portalId: 1, actionDefinitionId: 2 },
      object: { objectId: 904, objectType: "CONTACT" },
      inputFields: { "identifiers.hubspot.contactId": "904", "additionalData.firstName": "Ada" },
    };
    assert.equal((await call("createPass", action)).body.status, "created");
    assert.deepEqual((await passes())[0]?.identifiers, { "hubspot.contactId": "904" });
  });

  it("200: Customer.io is told that a call is taken, also if it can never succeed", async () => {
    const { call, passes } = await openJourneys(api(), "customerio");
    assert.equal((await call("createPass", ADA)).body.status, "created");
    for (const [body, headers] of [
      ["{"],
      ["x".repeat(200_000)],
      ["x".repeat(1_100_000)],
      [JSON.stringify(ADA), { "idempotency-key": "two words" }],
    ] as const) {
      const { status, body: answer, text } = await call("createPass", body, headers);
      assert.deepEqual([status, answer.success], [200, false], text);
      assert.match(answer.errors[0].code, /^request\./);
    }
    assert.equal((await passes()).length, 1);
  });

  it("429: HubSpot takes Retry-After for milliseconds", async () => {
    const { tenantId, call } = await openJourneys(api(), "hubspot");
    await limit(tenantId, 1);
    await call("createPass", ADA);
    const { status, headers } = await call("createPass", ADA);
    assert.equal(status, 429);
    assert.ok(Number(headers.get("retry-after")) >= 1_000);
  });

  it("429: Braze and Brevo try again after it, so they are told of a limit as it is", async () => {
    for (const connector of ["braze", "brevo"]) {
      const { tenantId, call } = await openJourneys(api(), connector);
      await limit(tenantId, 1);
      await call("createPass", ADA);
      const { status, headers, body } = await call("createPass", ADA);
      assert.deepEqual([status, body.status], [429, 429], connector);
      assert.match(headers.get("retry-after") ?? "", /^\d+$/);
    }
  });

  const limit = async (tenantId: string, perDay: number) => {
    const yaml = `name: x\nrateLimits:\n  journey.create-pass: { limit: ${perDay}, windowSeconds: 86400 }\n`;
    const { status, text } = await api().patch(`/api/tenants/${tenantId}`, {
      key: api().operatorKey,
      body: { files: { "tenant.yml": yaml } },
    });
    assert.equal(status, 200, text);
  };
});
