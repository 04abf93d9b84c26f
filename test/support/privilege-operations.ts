import { ensurePass, type Made, type Maker, made, type Preparation } from "./operation-made.ts";
import type { TestApi } from "./start-api.ts";

/** What the operations of privileges are called with. */

const NAME = "loyalty.number";

/** The address of the pass that was made before, by its id or by an identifier. */
function passPath(tenantId: string, { passId, identifierName, identifierValue }: Made): string {
  return `/api/${tenantId}/passes/${passId ?? `by/${identifierName}/${identifierValue}`}`;
}

/**
 * The number of a pass with this mark. Not the mark itself: a reader of answers leaves out what the
 * address named, and must still find the mark in other texts.
 */
const numberOf = (mark: string) => `n-${mark}`;

async function markedPass(api: TestApi, tenantId: string, mark: string): Promise<string> {
  const { id } = await ensurePass(api, tenantId, { identifiers: { [NAME]: numberOf(mark) } });
  return id;
}

const makePrivilege: Maker = (api, tenantId, mark, parameters) => {
  const body = { privilegeId: `p-${mark}`, name: mark, type: "MultiUse", value: 10 };
  return made(api, `${passPath(tenantId, parameters)}/privileges`, body, "privilegeId");
};

const makeMovement: Maker = (api, tenantId, mark, parameters) => {
  const path = `${passPath(tenantId, parameters)}/privileges/${parameters.privilegeId}/movements`;
  return made(api, path, { value: -1, reason: mark }, "movementId");
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
  "movement.list-all": withMovements,
  "movement.list": withMovements,
  "movement.list-by-identifier": withMovements,
};
