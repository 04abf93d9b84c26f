import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { LANDING_WORDS } from "#src/wallets/public.ts";
import { FILLED, seedFormTenant, sendForm } from "#test/support/enrolment-form.ts";
import { startApi } from "#test/support/start-api.ts";

// Each test is a visitor with an address of its own, so that limits count for its own forms alone.
const api = await startApi({ after }, { env: { TRUST_PROXY: "1" } });
await seedFormTenant(api, "acme");

let visitors = 0;
const newVisitor = () => {
  visitors += 1;
  return { "x-forwarded-for": `10.${visitors}.0.1` };
};
const send = (
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = newVisitor(),
) => sendForm(api, "/e/acme/loyalty", fields, headers);

let people = 0;
const newPerson = () => {
  people += 1;
  return { ...FILLED, "answer.email": `person${people}@harbour.example` };
};

describe("how many forms are taken", () => {
  it("429: too many forms of one address, with what was typed kept; others go on", async () => {
    const network = newVisitor();
    for (let count = 0; count < 30; count += 1) {
      assert.equal((await send({ "answer.firstName": "Ada" }, network)).status, 422);
    }
    const { status, text, headers } = await send({ "answer.firstName": "Bob" }, network);
    assert.equal(status, 429);
    assert.ok(text.includes(LANDING_WORDS.en.busyText) && text.includes('value="Bob"'));
    assert.match(headers.get("retry-after") ?? "", /^[1-9]\d?$/);
    assert.equal((await send(newPerson())).status, 303);
  });

  it("429: forms that come at once find no more room than forms one after the other", async () => {
    const network = newVisitor();
    const incomplete = { "answer.firstName": "Ada" };
    const all = Array.from({ length: 80 }, () => send(incomplete, network));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 422).length, 30);
    assert.equal(statuses.filter((status) => status === 429).length, 50);
  });

  it("429: also at once, five answers of one address at most tell that somebody is known", async () => {
    const person = newPerson();
    await send(person);
    const network = newVisitor();
    const all = Array.from({ length: 25 }, () => send(person, network));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 409).length, 5);
    assert.equal(statuses.filter((status) => status === 429).length, 20);
  });

  it("303: forms of people who are new take up none of that room", async () => {
    const network = newVisitor();
    for (let count = 0; count < 8; count += 1) {
      assert.equal((await send(newPerson(), network)).status, 303);
    }
  });

  it("429: one address cannot ask for many people whether they are known", async () => {
    const person = newPerson();
    await send(person);
    const network = newVisitor();
    for (let count = 0; count < 5; count += 1)
      assert.equal((await send(person, network)).status, 409);
    assert.equal((await send(person, network)).status, 429);
    assert.equal((await send(newPerson(), network)).status, 429);
  });
});
