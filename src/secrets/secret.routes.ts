import Type from "typebox";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { secretNotFound, secretUnreadable } from "./secret.errors.ts";
import { listSecrets, SECRET_LIST } from "./secret.repository.ts";
import {
  presentSecret,
  SECRET_EXAMPLE,
  SecretEntry,
  SecretParams,
  SecretPut,
  SecretView,
  versionOf,
} from "./secret.schema.ts";
import { deleteSecret, getSecret, storeSecret } from "./secret.service.ts";

const { key, value, updatedAt } = SECRET_EXAMPLE;

export const secretList = defineRoute({
  op: "secret.list",
  method: "GET",
  url: "/api/:tenantId/secrets",
  scope: "Secret.Read",
  summary: "List the keys of the secrets",
  description: "Never the values.",
  list: SECRET_LIST,
  reply: Type.Array(SecretEntry),
  example: { reply: [{ key, updatedAt }] },
  handle: listSecrets,
});

export const secretGet = defineRoute({
  op: "secret.get",
  method: "GET",
  url: "/api/:tenantId/secrets/:key",
  scope: "Secret.Read",
  summary: "Read the value of a secret",
  description: "Each reading is written to the audit trail.",
  params: SecretParams,
  reply: SecretView,
  noStore: true,
  errors: [secretNotFound, secretUnreadable],
  example: { reply: SECRET_EXAMPLE },
  async handle(context, { params }) {
    const found = await getSecret(context, params.key);
    const body = { ...presentSecret(found.secret), value: found.value };
    return answer(body, { version: versionOf(found.secret) });
  },
});

export const secretPut = defineRoute({
  op: "secret.put",
  method: "PUT",
  url: "/api/:tenantId/secrets/:key",
  scope: "Secret.Write",
  summary: "Store a secret or replace its value",
  description:
    "201 when there was none under this key. The value is encrypted before it is stored.",
  params: SecretParams,
  body: SecretPut,
  status: 204,
  otherStatuses: [201],
  example: { body: { value } },
  async handle(context, { params, body }) {
    const { secret, isNew } = await storeSecret(context, params.key, body.value);
    const version = versionOf(secret);
    if (!isNew) return answer(undefined, { status: 204, version });
    // The key needs no encoding: every character of it may stand in a path.
    const location = `/api/${context.tenantId}/secrets/${secret.key}`;
    return answer(undefined, { status: 201, version, headers: { location } });
  },
});

export const secretDelete = defineRoute({
  op: "secret.delete",
  method: "DELETE",
  url: "/api/:tenantId/secrets/:key",
  scope: "Secret.Write",
  summary: "Delete a secret",
  params: SecretParams,
  errors: [secretNotFound],
  handle: (context, { params }) => deleteSecret(context, params.key),
});
