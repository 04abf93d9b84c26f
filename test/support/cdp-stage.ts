import assert from "node:assert/strict";
import type { ProjectCreate } from "#src/simulator/vendors/bloomreach/bloomreach.schema.ts";
import type { Bloomreach } from "#src/simulator/vendors/bloomreach/bloomreach.service.ts";
import { PASS_FILES, seedPassTenant } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";

const LOYALTY = "server/passes/loyalty.yml";
let count = 0;

/** A tenant whose cards show the first name that the platform knows, and its project there. */
export async function seedCdpTenant(
  api: TestApi,
  bloomreach: Bloomreach,
  wish: ProjectCreate = {},
  cache?: object,
) {
  count += 1;
  const tenantId = `harbour-${count}`;
  const template = String(PASS_FILES[LOYALTY]).replace(
    "{{ data.firstName }}",
    "{{ metadata.cdp.first_name | default: data.firstName }}",
  );
  await seedPassTenant(api, tenantId, { [LOYALTY]: template });
  const project = bloomreach.createProject(wish);
  const { token: projectToken, apiKeyId, apiKeySecret } = project;
  const settings = { projectToken, baseUrl: bloomreach.url, apiKeyId, ...(cache && { cache }) };
  const path = `/api/${tenantId}/admin/extensions/cdp`;
  const key = api.operatorKey;
  const put = async (more: object = { apiKeySecret }) => {
    const { status, text } = await api.put(path, { key, body: { ...settings, ...more } });
    assert.equal(status, 204, text);
  };
  return { tenantId, project, settings, key, put };
}

/** Somebody whom the platform knows by this address. */
export const known = (registered: string) => ({ identifiers: { "cdp.registered": registered } });
