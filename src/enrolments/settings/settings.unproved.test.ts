import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { seedCdpTenant } from "#test/support/cdp-stage.ts";
import { sendForm } from "#test/support/enrolment-form.ts";
import { startApi } from "#test/support/start-api.ts";
import { startVendors } from "#test/support/vendors.ts";

const { bloomreach } = await startVendors({ after });
const api = await startApi({ after });
const key = api.operatorKey;
const PATH = "server/enrolment.yml";
const cache = { customer: { ttlSeconds: 300, attributes: ["first_name", "last_name"] } };

const formWith = (identifiers: string) => `passTypes:
  loyalty:
    fields:
      - { member: firstName }
      - { member: email, required: true }
    identifiers:
      loyalty.number: { digits: 10 }
      ${identifiers}
`;

describe("an answer that nobody proved", () => {
  it("400: cannot be an identifier of any connector; a new number can", async () => {
    const { tenantId } = await seedCdpTenant(api, bloomreach);
    const publish = (identifiers: string) => {
      const files = { [PATH]: formWith(identifiers) };
      return api.patch(`/api/tenants/${tenantId}`, { key, body: { files } });
    };
    const { body: gallery } = await api.get(`/api/${tenantId}/admin/extensions`, { key });
    assert.ok(gallery.length > 10);
    for (const { name } of gallery) {
      const { status, body } = await publish(`${name}.id: { member: email }`);
      const [found] = body.findings;
      assert.deepEqual(
        [status, found?.code, found?.file, found?.line],
        [400, "enrolment.identifier-unproved", PATH, 8],
        name,
      );
      assert.match(found.message, new RegExp(`'${name}\\.id' cannot be an answer`));
    }
    for (const fine of ["crm.email: { member: email }", "cdp.card: { digits: 12 }"]) {
      const { status, text } = await publish(fine);
      assert.equal(status, 200, text);
    }
  });

  it("303: a form that was published with one leaves it out, and nobody's name is asked for", async () => {
    const { tenantId, put, project } = await seedCdpTenant(api, bloomreach, {}, cache);
    await put();
    const registered = "victim@harbour.example";
    bloomreach.putCustomer({
      project: project.token,
      customer_ids: { registered },
      properties: { first_name: "Grace", last_name: "Hopper" },
    });
    const files = { [PATH]: formWith("cdx.registered: { member: email }") };
    const published = await api.patch(`/api/tenants/${tenantId}`, { key, body: { files } });
    assert.equal(published.status, 200, published.text);
    // As a version has it that was published before answers were refused.
    await api.sql(
      `update file_content set content = $2
        where tenant_id = $1
          and hash = (select hash from configuration_file
                       where tenant_id = $1 and path = $3 order by version desc limit 1)`,
      [tenantId, Buffer.from(formWith("cdp.registered: { member: email }")), PATH],
    );
    const answers = { "answer.firstName": "Eve", "answer.email": registered };
    const { status, headers } = await sendForm(api, `/e/${tenantId}/loyalty`, answers);
    assert.equal(status, 303);
    const [, id] = /\/([^/.]+)\.\w{24}$/.exec(headers.get("location") ?? "") ?? [];
    const path = `/api/${tenantId}/passes/${id}`;
    const { body: pass } = await api.get(path, { key });
    assert.deepEqual(Object.keys(pass.identifiers).sort(), ["enrolment.email", "loyalty.number"]);
    const options = { UpdateMetadata: true, BypassQueue: true };
    const { body: asked } = await api.patch(path, { key, body: { options } });
    assert.deepEqual([asked.metadata.cdp, asked.metadataFailures ?? []], [undefined, []]);
    assert.equal(
      bloomreach.server.requests.filter((sent) => sent.path.endsWith("attributes")).length,
      0,
    );
  });
});
