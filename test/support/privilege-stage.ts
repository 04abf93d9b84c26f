import assert from "node:assert/strict";
import type { ApiResponse, RequestOptions } from "./client.ts";
import { seedPass, seedPassTenant } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";

type Sent = Omit<RequestOptions, "key">;

/** A tenant with passes, and the privileges of one pass at a time. */
export async function openPrivilegeStage(api: TestApi, tenantId: string) {
  await seedPassTenant(api, tenantId);
  const key = api.operatorKey;
  return {
    tenantId,
    async pass(identifiers: Record<string, string> = {}) {
      const { id } = await seedPass(api, tenantId, { identifiers });
      return privilegesOf(api, key, tenantId, id);
    },
  };
}

export type PrivilegeStage = Awaited<ReturnType<typeof openPrivilegeStage>>;
export type StagedPass = Awaited<ReturnType<PrivilegeStage["pass"]>>;

function privilegesOf(api: TestApi, key: string, tenantId: string, id: string) {
  const base = `/api/${tenantId}/passes/${id}/privileges`;
  const json = { "content-type": "application/json" };
  const self = {
    id,
    base,
    create: (body: object, more: Sent = {}) => api.post(base, { key, body, ...more }),
    put: (privilegeId: string, body: object, more: Sent = {}) =>
      api.put(`${base}/${privilegeId}`, { key, body, ...more }),
    get: (privilegeId: string) => api.get(`${base}/${privilegeId}`, { key }),
    delete: (privilegeId: string, more: Sent = {}) =>
      api.delete(`${base}/${privilegeId}`, { key, ...more }),
    move: (privilegeId: string, body: object, more: Sent = {}) =>
      api.post(`${base}/${privilegeId}/movements`, { key, body, ...more }),
    /** With the digits of the numbers as they are written. */
    moveRaw: (privilegeId: string, rawBody: string) =>
      api.post(`${base}/${privilegeId}/movements`, { key, rawBody, headers: json }),
    reverse: (privilegeId: string, movementId: string, more: Sent = {}) =>
      api.post(`${base}/${privilegeId}/movements/${movementId}/reversal`, { key, ...more }),
    movements: (privilegeId: string, query = "") =>
      api.get(`${base}/${privilegeId}/movements${query}`, { key }),
    /** A privilege that is there afterwards. */
    async having(body: object): Promise<void> {
      const { status, text } = await self.create(body);
      assert.equal(status, 201, text);
    },
    async value(privilegeId: string): Promise<number | null> {
      const { status, body, text } = await self.get(privilegeId);
      assert.equal(status, 200, text);
      return body.value;
    },
    /** Names and data of the events about the pass, in their order. */
    async events(): Promise<{ name: string; data: Record<string, unknown> }[]> {
      const rows = await api.sql(
        `select name, data, previous from event
          where tenant_id = $1 and subject = $2 and name like 'privilege.%' order by sequence`,
        [tenantId, id],
      );
      return rows as { name: string; data: Record<string, unknown> }[];
    },
    async eventNames(): Promise<string[]> {
      return (await self.events()).map(({ name }) => name);
    },
  };
  return self;
}

/** What a refusal says. */
export function refusal({ status, body }: ApiResponse): [number, string] {
  return [status, body.code];
}
