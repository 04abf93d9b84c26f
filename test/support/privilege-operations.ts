import { seedPass, seedPassTenant } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";

/** What `operations.ts` must know to call the operations of privileges. */

type Made = Readonly<Record<string, string>>;
type Maker = (api: TestApi, tenantId: string, mark: string, made: Made) => Promise<string>;

const NAME = "loyalty.number";

/** The address of the pass that was made before, by its id or by an identifier. */
function passPath(tenantId: string, { passId, identifierName, identifierValue }: Made): string {
  return `/api/${tenantId}/passes/${passId ?? `by/${identifierName}/${identifierValue}`}`;
}

async function post(api: TestApi, path: string, body: object, member: string): Promise<string> {
  const answer = await api.post(path, { key: api.operatorKey, body });
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.body[member];
}

/**
 * The number of a pass with this mark. Not the mark itself: a reader of answers leaves out what the
 * address named, and must still find the mark in other texts.
 */
const numberOf = (mark: string) => `n-${mark}`;

async function markedPass(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const more = { identifiers: { [NAME]: numberOf(mark) } };
  try {
    return (await seedPass(api, tenantId, more)).id;
  } catch {
    // Another operation took the types of passes away.
    await seedPassTenant(api, tenantId);
    return (await seedPass(api, tenantId, more)).id;
  }
}

const makePrivilege: Maker = (api, tenantId, mark, made) => {
  const body = { privilegeId: `p-${mark}`, name: mark, type: "MultiUse", value: 10 };
  return post(api, `${passPath(tenantId, made)}/privileges`, body, "privilegeId");
};

const makeMovement: Maker = (api, tenantId, mark, made) => {
  const path = `${passPath(tenantId, made)}/privileges/${made.privilegeId}/movements`;
  return post(api, path, { value: -1, reason: mark }, "movementId");
};

export const PRIVILEGE_MAKERS: Readonly<Record<string, Maker>> = {
  identifierName: async () => NAME,
  async identifierValue(api, tenantId, mark) {
    await markedPass(api, tenantId, mark);
    return numberOf(mark);
  },
  privilegeId: makePrivilege,
  movementId: makeMovement,
};

type Preparation = (api: TestApi, tenantId: string, mark: string) => Promise<object>;

const withPrivileges: Preparation = async (api, tenantId, mark) => {
  const passId = await markedPass(api, tenantId, mark);
  for (const count of [1, 2]) await makePrivilege(api, tenantId, `${mark}-${count}`, { passId });
  return { passId, identifierName: NAME, identifierValue: numberOf(mark) };
};

const withMovements: Preparation = async (api, tenantId, mark) => {
  const passId = await markedPass(api, tenantId, mark);
  const privilegeId = await makePrivilege(api, tenantId, mark, { passId });
  await makeMovement(api, tenantId, mark, { passId, privilegeId });
  return { passId, identifierName: NAME, identifierValue: numberOf(mark), privilegeId };
};

/** Lists of which there is more than one page. */
export const PRIVILEGE_PREPARATIONS: Readonly<Record<string, Preparation>> = {
  "privilege.list": withPrivileges,
  "privilege.list-by-identifier": withPrivileges,
  "movement.list": withMovements,
  "movement.list-by-identifier": withMovements,
};
