import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { bundleProblems, openBundle } from "#test/support/apple-bundle.ts";
import { type HeldPass, openAppleStage } from "#test/support/apple-stage.ts";
import { requireSignature } from "#test/support/detached-signature.ts";
import { ANSWER, ENROLMENT_FILES } from "#test/support/enrolment-tenant.ts";
import { listWords } from "#test/support/list-words.ts";
import { seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { developmentRootOf } from "../signing/authority.service.ts";

type Stage = Awaited<ReturnType<typeof openAppleStage>>;
const TOKEN = "5F0B6C1E-7C2F-4B59-9C50-0E5B4F3B8C11";
const HOUR_MS = 3_600_000;
const WITHOUT_NFC = "nfc: null\n";

describe("signing up with a pass on an Apple device", () => {
  // Requests are counted by the hour of the clock: the tests begin with a new one.
  const aheadMs = HOUR_MS - (Date.now() % HOUR_MS);
  const api = shareApi({
    env: { APNS_URL: "https://127.0.0.1:9" },
    clock: { now: () => new Date(Date.now() + aheadMs) },
  });
  let stage: Stage;
  let rival: Stage;
  before(async () => {
    stage = await openAppleStage(api());
    rival = await openAppleStage(api());
    await seedPassTenant(api(), stage.tenantId, ENROLMENT_FILES);
  });

  const addressOf = (id: string, passType = stage.passType) =>
    `${stage.base}/passes/${passType}/${id}/personalize`;
  const bodyOf = (more: object = {}, token: unknown = TOKEN) => ({
    personalizationToken: token,
    requiredPersonalizationInfo: { ...ANSWER, ...more },
  });
  const answer = (pass: Pick<HeldPass, "id">, body: object = bodyOf(), headers = {}) =>
    api().post(addressOf(pass.id), { body, headers });
  const recordOf = async ({ id }: Pick<HeldPass, "id">) =>
    (await api().get(`/api/${stage.tenantId}/passes/${id}`, { key: api().operatorKey })).body;
  const customersOf = async (name: string, value: string) => {
    const words = listWords([[`identifiers.${name}`, "equals", value]]);
    const path = `/api/${stage.tenantId}/customers?${new URLSearchParams(words)}`;
    const { status, body, text } = await api().get(path, { key: api().operatorKey });
    assert.equal(status, 200, text);
    return body;
  };
  const bundleOf = async ({ id, token }: HeldPass) => {
    const address = `${api().url}${stage.base}/passes/${stage.passType}/${id}`;
    const headers = { authorization: `ApplePass ${token}` };
    const response = await fetch(address, { headers });
    assert.equal(response.status, 200);
    return await openBundle(Buffer.from(await response.arrayBuffer()));
  };
  const signatureOf = async (id: string, body: object = bodyOf()) => {
    const response = await fetch(`${api().url}${addressOf(id)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const root = () =>
    developmentRootOf(systemCall(api().runtime, "test", { tenantId: stage.tenantId }));

  it("asks in the bundle, in every language, until it is answered", async () => {
    const pass = await stage.pass();
    const asking = await bundleOf(pass);
    assert.deepEqual(await bundleProblems(asking, await root()), []);
    assert.deepEqual(JSON.parse(String(asking.files.get("personalization.json"))), {
      description: "Join the Harbour Club.",
      requiredPersonalizationFields: [
        "PKPassPersonalizationFieldName",
        "PKPassPersonalizationFieldEmailAddress",
        "PKPassPersonalizationFieldPhoneNumber",
        "PKPassPersonalizationFieldPostalCode",
      ],
      termsAndConditions: 'You agree to <a href="https://harbour.example/rules">our rules</a>.',
    });
    const german = String(asking.files.get("de.lproj/personalization.strings"));
    assert.match(german, /"Join the Harbour Club\." = "Komm in den Harbour Club\.";/);
    assert.ok(asking.files.has("en.lproj/personalization.strings"));

    assert.equal((await answer(pass)).status, 200);
    const answered = await bundleOf(pass);
    assert.deepEqual(await bundleProblems(answered, await root()), []);
    const left = [...answered.files.keys()].filter((name) => name.includes("personalization"));
    assert.deepEqual(left, []);
    assert.equal(answered.json.storeCard.primaryFields[0].value, "Ada");
  });

  it("200: the token comes back signed, the answers are kept, and the device learns of it", async () => {
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.register(pass);
    const { lastUpdated } = (await phone.ask()).body;
    const { response, bytes } = await signatureOf(pass.id);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "application/octet-stream");
    assert.equal(response.headers.get("cache-control"), "no-store");
    const { certificates } = await requireSignature(bytes, Buffer.from(TOKEN), await root());
    assert.match(certificates.map(({ subject }) => subject).join(), /UID=pass\.dev\.billfold/);

    const { additionalData, identifiers } = await recordOf(pass);
    assert.deepEqual(additionalData, {
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@harbour.example",
      phone: "+33 1 42 72 00 00",
      postalCode: "75004",
      land: "FR",
    });
    assert.deepEqual(await stage.events(pass), ["pass.created", "pass.installed", "pass.updated"]);
    assert.deepEqual((await phone.ask(lastUpdated)).body.serialNumbers, [pass.id]);

    const [customer, ...others] = await customersOf(
      "loyalty.number",
      identifiers["loyalty.number"],
    );
    assert.equal(others.length, 0);
    const { email, phone: number, firstName, lastName, consents } = customer;
    assert.deepEqual(
      [email, number, firstName, lastName],
      ["ada@harbour.example", "+33142720000", "Ada", "Lovelace"],
    );
    assert.equal(consents.terms.granted, true);
    assert.equal(consents.terms.source, "Apple Wallet");
  });

  it("200: whoever answers again gets a signature and changes nothing", async () => {
    const pass = await stage.pass();
    const forms = ["Ada", "Grace", "Edith"].map((givenName) => bodyOf({ givenName }));
    const answers = await Promise.all(forms.map((body) => answer(pass, body)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    const first = await recordOf(pass);
    const { bytes } = await signatureOf(pass.id, bodyOf({ givenName: "Mallory" }, "other-token"));
    await requireSignature(bytes, Buffer.from("other-token"), await root());
    assert.deepEqual(await recordOf(pass), first);
    assert.equal(first.version, 2);
    assert.deepEqual(await stage.events(pass), ["pass.created", "pass.updated"]);
    const number = first.identifiers["loyalty.number"];
    const [customer, ...others] = await customersOf("loyalty.number", number);
    assert.equal(others.length, 0);
    assert.equal(customer.firstName, first.additionalData.firstName);
    assert.equal(customer.version, 1);
  });

  it("200: a customer who is known is completed, and what is known of them stays", async () => {
    const pass = await stage.pass();
    const number = (await recordOf(pass)).identifiers["loyalty.number"];
    const known = { email: "known@harbour.example", identifiers: { "loyalty.number": number } };
    const made = await api().post(`/api/${stage.tenantId}/customers`, {
      key: api().operatorKey,
      body: known,
    });
    assert.equal(made.status, 201, made.text);
    assert.equal((await answer(pass, bodyOf({ phoneNumber: "01 42 72 00 00" }))).status, 200);
    const [customer] = await customersOf("loyalty.number", number);
    assert.equal(customer.customerId, made.body.customerId);
    assert.deepEqual(
      [customer.email, customer.phone, customer.firstName],
      ["known@harbour.example", null, "Ada"],
    );
    assert.equal((await recordOf(pass)).additionalData.phone, "01 42 72 00 00");
  });

  it("200: a pass without an identifier of its own gets one, by which the customer is found", async () => {
    const { status, body, text } = await api().post(
      `/api/${stage.tenantId}/passes?passType=loyalty`,
      { key: api().operatorKey, body: { identifiers: { "campaign.id": "spring" } } },
    );
    assert.equal(status, 201, text);
    assert.equal((await answer(body)).status, 200);
    const { identifiers } = await recordOf(body);
    assert.deepEqual(identifiers, { "campaign.id": "spring", "enrolment.pass": body.id });
    const [customer] = await customersOf("enrolment.pass", body.id);
    assert.deepEqual(customer.identifiers, { "enrolment.pass": body.id });
    assert.deepEqual(await customersOf("campaign.id", "spring"), []);
  });

  it("200: only what is asked for is kept, and a name may have one part", async () => {
    const loyalty = String(ENROLMENT_FILES["server/passes/loyalty.yml"]);
    const fewer = loyalty
      .replace(/fields: \[name.*/, "fields: [name]")
      .replace(/^ {2}into.*$/m, "");
    const own = await openAppleStage(api());
    const files = { ...ENROLMENT_FILES, "server/passes/loyalty.yml": fewer };
    await seedPassTenant(api(), own.tenantId, files);
    const key = api().operatorKey;
    const path = `/api/${own.tenantId}/passes`;
    const { body: pass } = await api().post(`${path}?passType=loyalty`, { key, body: {} });
    const info = { fullName: "Teller", givenName: "", emailAddress: "x@y.example" };
    const body = { personalizationToken: TOKEN, requiredPersonalizationInfo: info };
    const address = `${own.base}/passes/${own.passType}/${pass.id}/personalize`;
    assert.equal((await api().post(address, { body })).status, 200);
    const { body: kept } = await api().get(`${path}/${pass.id}`, { key });
    assert.deepEqual(kept.additionalData, { firstName: "Teller" });
  });

  it("401: an unknown pass, another's, a wrong token, a type that asks nothing, a pass that is over", async () => {
    const [pass, theirs, over] = [await stage.pass(), await rival.pass(), await stage.pass()];
    const key = api().operatorKey;
    const disabled = { status: "disabled", options: { BypassQueue: true } };
    await api().patch(`/api/${stage.tenantId}/passes/${over.id}`, { key, body: disabled });
    const { body: coupon } = await api().post(`/api/${stage.tenantId}/passes?passType=coupon`, {
      key,
      body: { additionalData: { offer: "Tea", validUntil: "2099-01-01" } },
    });
    const body = bodyOf();
    for (const sent of [
      answer(theirs),
      answer(over),
      answer(coupon),
      answer({ id: "ps_0000000000000000000000" }),
      answer(pass, body, { authorization: `ApplePass ${theirs.token}` }),
      answer(pass, body, { authorization: "Bearer x" }),
      api().post(addressOf(pass.id, "pass.example.other"), { body }),
      api().post(addressOf(pass.id).replace(stage.tenantId, "no-such-tenant"), { body }),
      api().post(`${rival.base}/passes/${rival.passType}/${theirs.id}/personalize`, { body }),
    ]) {
      const { status, text } = await sent;
      assert.deepEqual([status, text], [401, ""]);
    }
    assert.deepEqual(await stage.events(pass), ["pass.created"]);
    const authorization = `ApplePass ${pass.token}`;
    assert.equal((await answer(pass, body, { authorization })).status, 200);
  });

  it("400: what is missing or cannot be is named, and nothing is kept; 413: a large body", async () => {
    const pass = await stage.pass();
    const info = "requiredPersonalizationInfo";
    for (const [body, field] of [
      [{ personalizationToken: TOKEN }, info],
      [{ [info]: ANSWER }, "personalizationToken"],
      [bodyOf({}, ""), "personalizationToken"],
      [bodyOf({}, "a".repeat(4_097)), "personalizationToken"],
      [bodyOf({ emailAddress: "nobody" }), `${info}.emailAddress`],
      [bodyOf({ emailAddress: null }), `${info}.emailAddress`],
      [bodyOf({ phoneNumber: "call me" }), `${info}.phoneNumber`],
      [bodyOf({ postalCode: "<b>" }), `${info}.postalCode`],
      [bodyOf({ ISOCountryCode: "France" }), `${info}.ISOCountryCode`],
      [bodyOf({ givenName: "", fullName: "" }), `${info}.givenName`],
      [bodyOf({ givenName: "A\nB" }), `${info}.givenName`],
      [bodyOf({ familyName: "x".repeat(201) }), `${info}.familyName`],
      [bodyOf({ givenName: "x".repeat(61) }), "additionalData.firstName"],
      [bodyOf({ givenName: 7 }), `${info}.givenName`],
    ] as const) {
      const sent = await answer(pass, body);
      assert.equal(sent.status, 400, JSON.stringify(body));
      assert.deepEqual(Object.keys(sent.body.errors), [field]);
    }
    const headers = { "content-type": "application/json" };
    for (const rawBody of ["", "{", "[]", "7", '{"personalizationToken":"\\u0000"}']) {
      const sent = await api().post(addressOf(pass.id), { headers, rawBody });
      assert.equal(sent.status, 400, rawBody);
    }
    const large = bodyOf({ familyName: "x".repeat(17_000) });
    assert.equal((await answer(pass, large)).status, 413);
    assert.equal((await recordOf(pass)).version, 1);
  });

  it("400: a token that is a list of files is not signed, or its sender could make passes", async () => {
    const pass = await stage.pass();
    const list = JSON.stringify({ "pass.json": "da39a3ee5e6b4b0d3255bfef95601890afd80709" });
    for (const token of [list, "{}", "<plist/>", '"', "a b", "a\nb", "é"]) {
      const { response, bytes } = await signatureOf(pass.id, bodyOf({}, token));
      assert.equal(response.status, 400, token);
      assert.match(String(bytes), /personalizationToken/);
    }
  });

  it("asks nobody on a pass without NFC, or one that has all the answers", async () => {
    const own = await openAppleStage(api());
    const files = { ...ENROLMENT_FILES, "layouts/loyalty.apple.yml": WITHOUT_NFC };
    await seedPassTenant(api(), own.tenantId, files);
    const pass = await own.pass();
    const shown = await fetch(`${api().url}${own.base}/passes/${own.passType}/${pass.id}`, {
      headers: { authorization: `ApplePass ${pass.token}` },
    });
    const { files: inside } = await openBundle(Buffer.from(await shown.arrayBuffer()));
    assert.ok(![...inside.keys()].some((name) => name.includes("personalization")));

    const known = await stage.pass();
    const data = { email: "a@b.example", phone: "1234567", postalCode: "1" };
    await api().patch(`/api/${stage.tenantId}/passes/${known.id}`, {
      key: api().operatorKey,
      body: { additionalData: data, options: { BypassQueue: true } },
    });
    assert.ok(!(await bundleOf(known)).files.has("personalization.json"));
  });

  it("429: who asks for signatures again and again, by one pass or by names that do not exist", async () => {
    const [pass, other] = [await stage.pass(), await stage.pass()];
    const many = async (id: string) => {
      const sent = await Promise.all(Array.from({ length: 90 }, () => answer({ id })));
      const statuses = Map.groupBy(sent, ({ status }) => status);
      const [refused] = statuses.get(429) ?? [];
      assert.ok(Number(refused?.headers.get("retry-after")) > 0);
      return statuses;
    };
    const known = await many(pass.id);
    assert.deepEqual([known.get(200)?.length, known.get(429)?.length], [60, 30]);
    const unknown = await many("ps_0000000000000000000000");
    assert.ok((unknown.get(401)?.length ?? 0) <= 60);
    assert.equal((await answer(other)).status, 200, "another pass from the same address");
  });
});
