import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { type Answer, answer } from "#kernel/http/route.ts";
import { definePassRoutes } from "./pass-address.ts";
import { privilegeExists, privilegeNotFound, tooManyPrivileges } from "./privilege.errors.ts";
import { MOVEMENT_ERRORS } from "./privilege.refusals.ts";
import { PRIVILEGE_LIST } from "./privilege.repository.ts";
import {
  PRIVILEGE_BODY_EXAMPLE,
  PRIVILEGE_EXAMPLE,
  type Privilege,
  PrivilegeCreate,
  PrivilegeParams,
  PrivilegePut,
  PrivilegeView,
  presentPrivilege,
  versionOf,
} from "./privilege.schema.ts";
import {
  createPrivilege,
  deletePrivilege,
  getPrivilege,
  listPrivileges,
  putPrivilege,
} from "./privilege.service.ts";

const NoParams = Type.Object({});

const [insufficientValue, valueExceedsMaximum] = MOVEMENT_ERRORS;
const BOUND_ERRORS = [insufficientValue, valueExceedsMaximum].filter((kind) => kind !== undefined);

function present(context: TenantContext, privilege: Privilege, status = 200, passId = ""): Answer {
  const now = context.clock.now();
  const { tenantId } = context;
  const location = `/api/${tenantId}/passes/${passId}/privileges/${privilege.id}`;
  return answer(presentPrivilege(privilege, now), {
    status,
    version: versionOf(privilege, now),
    ...(status === 201 ? { headers: { location } } : {}),
  });
}

const lists = definePassRoutes({
  op: "privilege.list",
  method: "GET",
  path: "/privileges",
  scope: "Pass.Read",
  summary: "List the privileges of a pass",
  description: "In the order of their ids.",
  params: NoParams,
  list: PRIVILEGE_LIST,
  reply: Type.Array(PrivilegeView),
  example: { reply: [PRIVILEGE_EXAMPLE] },
  handle: listPrivileges,
});

const gets = definePassRoutes({
  op: "privilege.get",
  method: "GET",
  path: "/privileges/:privilegeId",
  scope: "Pass.Read",
  summary: "Read one privilege",
  params: PrivilegeParams,
  reply: PrivilegeView,
  errors: [privilegeNotFound],
  example: { reply: PRIVILEGE_EXAMPLE },
  async handle(context, passId, { params }) {
    return present(context, await getPrivilege(context, passId, params.privilegeId));
  },
});

const creates = definePassRoutes({
  op: "privilege.create",
  method: "POST",
  path: "/privileges",
  scope: "Pass.Write",
  summary: "Create a privilege on a pass",
  description:
    "A `value` other than 0 becomes the first movement of its ledger. If there was a privilege of this id before, its ledger goes on: the sequence has no gap.",
  params: NoParams,
  body: PrivilegeCreate,
  status: 201,
  reply: PrivilegeView,
  errors: [privilegeExists, tooManyPrivileges],
  example: { body: PRIVILEGE_BODY_EXAMPLE, reply: PRIVILEGE_EXAMPLE },
  async handle(context, passId, { body }) {
    return present(context, await createPrivilege(context, passId, body), 201, passId);
  },
});

const { privilegeId: _id, value: _value, ...PUT_EXAMPLE } = PRIVILEGE_BODY_EXAMPLE;

const puts = definePassRoutes({
  op: "privilege.put",
  method: "PUT",
  path: "/privileges/:privilegeId",
  scope: "Pass.Write",
  summary: "Create or update a privilege",
  description:
    "Replaces its terms: a member that is not sent gets its default, except `value` and `status`, which stay. A changed `value` is written to the ledger as an adjustment. Bounds that the value breaks are refused.",
  params: PrivilegeParams,
  body: PrivilegePut,
  otherStatuses: [201],
  reply: PrivilegeView,
  errors: [...BOUND_ERRORS, tooManyPrivileges],
  example: { body: PUT_EXAMPLE, reply: PRIVILEGE_EXAMPLE },
  async handle(context, passId, { params, body }) {
    const { privilege, isNew } = await putPrivilege(context, passId, params.privilegeId, body);
    return present(context, privilege, isNew ? 201 : 200, passId);
  },
});

const deletes = definePassRoutes({
  op: "privilege.delete",
  method: "DELETE",
  path: "/privileges/:privilegeId",
  scope: "Pass.Write",
  summary: "Delete a privilege for good",
  description:
    "What is left of its value is taken by a last movement. Its ledger stays, and can be read by its id, until the pass is erased.",
  params: PrivilegeParams,
  errors: [privilegeNotFound],
  async handle(context, passId, { params }) {
    await deletePrivilege(context, passId, params.privilegeId);
  },
});

export const privilegeRoutes = [...lists, ...gets, ...creates, ...puts, ...deletes];
