import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { openJourneys } from "#test/support/journey-stage.ts";
import { shareApi } from "#test/support/start-api.ts";

const DOCUMENT = readFileSync(new URL("../../../docs/journeys.md", import.meta.url), "utf8");
const VENDORS = ["klaviyo", "braze", "customerio"];

type Step = { readonly action: string; readonly url: string; readonly body: string | null };

describe("bodies of the gallery", () => {
  const api = shareApi();

  async function stepsOf(tenantId: string, connector: string): Promise<Step[]> {
    const path = `/api/${tenantId}/admin/extensions`;
    const { body } = await api().get(path, { key: api().operatorKey });
    return body.find(({ name }: { name: string }) => name === connector).journeySteps;
  }

  /** What the vendor makes of a body: each tag becomes a value of the person. */
  const filled = (body: string) =>
    body.replace(/("points": ")\{\{.*?\}\}+(")/, "$112$2").replace(/\{\{.*?\}\}+/g, "Ada");

  for (const connector of VENDORS) {
    it(`${connector}: each of them does what it says, and the guide has the same`, async () => {
      const { tenantId, key, passes, events } = await openJourneys(api(), connector);
      for (const { url, body, action } of await stepsOf(tenantId, connector)) {
        const rawBody = filled(String(body));
        const answer = await api().post(new URL(url).pathname, {
          key,
          rawBody,
          headers: { "content-type": "application/json" },
        });
        assert.equal(answer.body.success, true, `${action}: ${rawBody} ${answer.text}`);
      }
      assert.deepEqual((await passes())[0]?.data, { firstName: "Ada", points: 12 });
      assert.deepEqual(await events(), ["pass.created", "pass.notified"]);
      const [create] = await stepsOf(tenantId, connector);
      const told = String(create?.body).replace('"member"', '"loyalty"').slice("{\n".length);
      assert.ok(DOCUMENT.includes(told), told);
    });
  }

  it("vendors that send a form of their own have addresses alone, others none", async () => {
    const { tenantId } = await openJourneys(api(), "brevo");
    const steps = await stepsOf(tenantId, "brevo");
    assert.deepEqual(
      steps.map(({ action, body }) => [action, body]),
      [
        ["createPass", null],
        ["updatePass", null],
        ["notifyPass", null],
      ],
    );
    assert.deepEqual(await stepsOf(tenantId, "shopify"), []);
    const [scenario] = await stepsOf(tenantId, "cdp");
    assert.ok(
      DOCUMENT.includes(String(scenario?.body)),
      "one that is not configured has them, too",
    );
  });
});
