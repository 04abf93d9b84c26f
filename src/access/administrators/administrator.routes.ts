import Type from "typebox";
import { answer, defineRoute, type Route } from "#kernel/http/route.ts";
import {
  administratorEmailTaken,
  administratorIsLast,
  administratorNotFound,
} from "./administrator.errors.ts";
import { ADMINISTRATOR_LIST, listAdministrators } from "./administrator.repository.ts";
import {
  AdministratorCreate,
  AdministratorCreated,
  AdministratorParams,
  AdministratorUpdate,
  AdministratorView,
  Invitation,
  presentAdministrator,
} from "./administrator.schema.ts";
import {
  createAdministrator,
  createInvitation,
  deleteAdministrator,
  getAdministrator,
  updateAdministrator,
} from "./administrator.service.ts";

const EXAMPLE = {
  id: "adm_0WnTq3Xk00aB3dE5fG7hI9",
  email: "ada@example.com",
  name: "Ada Lovelace",
  role: "tenant",
  tenants: ["cafe-lune"],
  disabled: false,
  invited: true,
  version: 1,
  createdAt: "2026-01-15T09:30:00.000Z",
  updatedAt: "2026-01-15T09:30:00.000Z",
  lastSignInAt: null,
};
const INVITATION_EXAMPLE = {
  url: "https://passes.example.com/sign-in/q3m9T0bq7m2Xr8nVw1Zs5LhYc6KdJfAe4GuPiRtOyWk",
  expiresAt: "2026-01-18T09:30:00.000Z",
};

const administratorList = defineRoute({
  op: "administrator.list",
  method: "GET",
  url: "/api/administrators",
  scope: "platform:admin",
  summary: "List the administrators",
  list: ADMINISTRATOR_LIST,
  reply: Type.Array(AdministratorView),
  example: { reply: [EXAMPLE] },
  handle: listAdministrators,
});

const administratorCreate = defineRoute({
  op: "administrator.create",
  method: "POST",
  url: "/api/administrators",
  scope: "platform:admin",
  summary: "Invite an administrator",
  description:
    "Answers a link by which the person chooses a password. It works once, for 72 hours, and is shown only here.",
  body: AdministratorCreate,
  reply: AdministratorCreated,
  status: 201,
  noStore: true,
  errors: [administratorEmailTaken],
  example: {
    body: {
      email: "ada@example.com",
      name: "Ada Lovelace",
      role: "tenant",
      tenants: ["cafe-lune"],
    },
    reply: { ...EXAMPLE, invitation: INVITATION_EXAMPLE },
  },
  async handle(context, { body }) {
    const { administrator, invitation } = await createAdministrator(context, body);
    return answer(
      { ...presentAdministrator(administrator), invitation },
      {
        status: 201,
        version: administrator.version,
        headers: { location: `/api/administrators/${administrator.id}` },
      },
    );
  },
});

const administratorGet = defineRoute({
  op: "administrator.get",
  method: "GET",
  url: "/api/administrators/:administratorId",
  scope: "platform:admin",
  summary: "Read one administrator",
  description:
    "The ETag is for `If-Match`: `lastSignInAt` alone does not move it. So a read is never 304.",
  answersNotModified: false,
  params: AdministratorParams,
  reply: AdministratorView,
  errors: [administratorNotFound],
  example: { reply: EXAMPLE },
  async handle(context, { params }) {
    const administrator = await getAdministrator(context, params.administratorId);
    return answer(presentAdministrator(administrator), { version: administrator.version });
  },
});

const administratorUpdate = defineRoute({
  op: "administrator.update",
  method: "PUT",
  url: "/api/administrators/:administratorId",
  scope: "platform:admin",
  summary: "Change an administrator",
  description:
    "A new role, new tenants and `disabled` hold for tokens already given out, within a second.",
  params: AdministratorParams,
  body: AdministratorUpdate,
  reply: AdministratorView,
  errors: [administratorNotFound, administratorEmailTaken, administratorIsLast],
  example: {
    body: {
      email: "ada@example.com",
      name: "Ada Lovelace",
      role: "tenant",
      tenants: ["cafe-lune"],
      disabled: false,
    },
    reply: { ...EXAMPLE, version: 2 },
  },
  async handle(context, { params, body }) {
    const administrator = await updateAdministrator(context, params.administratorId, body);
    return answer(presentAdministrator(administrator), { version: administrator.version });
  },
});

const administratorDelete = defineRoute({
  op: "administrator.delete",
  method: "DELETE",
  url: "/api/administrators/:administratorId",
  scope: "platform:admin",
  summary: "Remove an administrator",
  params: AdministratorParams,
  errors: [administratorNotFound, administratorIsLast],
  handle: (context, { params }) => deleteAdministrator(context, params.administratorId),
});

const administratorInvite = defineRoute({
  op: "administrator.invite",
  method: "POST",
  url: "/api/administrators/:administratorId/invitation",
  scope: "platform:admin",
  summary: "Make a new one-time sign-in link",
  description:
    "For somebody who lost the first one or forgot the password. Earlier links of this person stop working.",
  params: AdministratorParams,
  reply: Invitation,
  status: 201,
  noStore: true,
  errors: [administratorNotFound],
  example: { reply: INVITATION_EXAMPLE },
  async handle(context, { params }) {
    const invitation = await createInvitation(context, params.administratorId);
    // The administrator: the address of the link itself is a secret, and belongs into no header.
    const location = `/api/administrators/${params.administratorId}`;
    return answer(invitation, { status: 201, headers: { location } });
  },
});

export const administratorRoutes: readonly Route[] = [
  administratorList,
  administratorCreate,
  administratorGet,
  administratorUpdate,
  administratorDelete,
  administratorInvite,
];
