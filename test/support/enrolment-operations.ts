import { ensurePass, type Maker, made, type Preparation } from "./operation-made.ts";
import type { TestApi } from "./start-api.ts";

/** What the operations of enrolment links are called with. */

const FORM = `passTypes:
  loyalty:
    fields: [ { member: firstName } ]
    identifiers: { loyalty.number: { digits: 10 } }
`;

/** Links need a form that they lead to. */
async function ensureForm(api: TestApi, tenantId: string): Promise<void> {
  await ensurePass(api, tenantId, {});
  const path = `/api/tenants/${tenantId}`;
  const body = { files: { "server/enrolment.yml": FORM } };
  const { status, text } = await api.patch(path, { key: api.operatorKey, body });
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
}

async function makeLink(api: TestApi, tenantId: string, source: string): Promise<string> {
  await ensureForm(api, tenantId);
  const path = `/api/${tenantId}/enrolment-links`;
  return await made(api, path, { passType: "loyalty", source }, "code");
}

export const ENROLMENT_MAKERS: Readonly<Record<string, Maker>> = { code: makeLink };

export const ENROLMENT_PREPARATIONS: Readonly<Record<string, Preparation>> = {
  "enrolment-link.create": async (api, tenantId) => {
    await ensureForm(api, tenantId);
    return {};
  },
  "enrolment-link.list": async (api, tenantId, mark) => {
    for (const _link of [1, 2]) await makeLink(api, tenantId, mark);
    return {};
  },
};

export const linkOf = (mark: string) => ({ passType: "loyalty", source: mark });
