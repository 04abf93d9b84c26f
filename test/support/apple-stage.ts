import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appleTokenOf } from "#src/wallets/apple/bundle/bundle.service.ts";
import { startApns } from "./apns.ts";
import type { ApiResponse } from "./client.ts";
import { seedPass, seedPassTenant } from "./pass-tenant.ts";
import { readZip } from "./read-zip.ts";
import { startApi, type TestApi } from "./start-api.ts";
import { until } from "./webhook-receiver.ts";

type Changed = { readonly delivery?: Readonly<Record<"apple" | "google", unknown>> };

let tenants = 0;
let devices = 0;

/** A tenant with passes, and devices that speak to the web service as Apple's do. */
export async function openAppleStage(api: TestApi) {
  tenants += 1;
  const tenantId = `orchard-${tenants}`;
  await seedPassTenant(api, tenantId);
  const key = api.operatorKey;
  const base = `/.well-known/wallet/${tenantId}/v1`;
  /** As the development authority calls it. */
  const passType = `pass.dev.billfold.${tenantId}`;

  return {
    tenantId,
    base,
    passType,
    async pass() {
      const { id, secret } = await seedPass(api, tenantId);
      return { id, secret, token: appleTokenOf({ secret }) };
    },
    /** The name is what the pass shows. Through the queue, unless `now`. */
    async change({ id }: Pick<HeldPass, "id">, firstName: string, now = false): Promise<Changed> {
      const path = `/api/${tenantId}/passes/${id}`;
      const options = now ? { options: { BypassQueue: true } } : {};
      const body = { additionalData: { firstName }, ...options };
      const sent = await api.patch(path, { key, body });
      if (sent.status > 202) throw new Error(`Pass not changed: ${sent.text}`);
      await until(async () => {
        const { body: seen } = await api.get(path, { key });
        return seen.additionalData.firstName === firstName;
      });
      return sent.body;
    },
    async publish(files: Readonly<Record<string, string>>): Promise<void> {
      const sent = await api.patch(`/api/tenants/${tenantId}`, { key, body: { files } });
      if (sent.status >= 300) throw new Error(`Not published: ${sent.text}`);
    },
    /** The names of the events about a pass, in their order. */
    async events({ id }: Pick<HeldPass, "id">): Promise<string[]> {
      const rows = await api.sql(
        "select name from event where tenant_id = $1 and subject = $2 order by sequence",
        [tenantId, id],
      );
      return rows.map(({ name }) => String(name));
    },
    /** What became of the changes of a pass, as the API tells it. */
    async deliveries({ id }: Pick<HeldPass, "id">) {
      const { status, body, text } = await api.get(`/api/${tenantId}/passes/${id}/deliveries`, {
        key,
      });
      if (status !== 200) throw new Error(`No deliveries: ${text}`);
      return body;
    },
    device(name?: string) {
      devices += 1;
      return createDevice(api, { base, passType }, name ?? `device-${devices}`);
    },
  };
}

export type AppleStage = Awaited<ReturnType<typeof openAppleStage>>;

/** A pass on a device, which has fetched it and follows its changes. */
export type Installed = {
  readonly pass: Awaited<ReturnType<AppleStage["pass"]>>;
  readonly phone: AppleDevice;
};

/** Lets a device fetch a pass and register for its changes. What is not given is made. */
export async function installPass(
  stage: AppleStage,
  given: Partial<Installed> = {},
): Promise<Installed> {
  const pass = given.pass ?? (await stage.pass());
  const phone = given.phone ?? stage.device();
  assert.equal((await phone.fetch(pass)).status, 200);
  assert.equal((await phone.register(pass)).status, 201);
  return { pass, phone };
}

/** The product, with the stand-in in the place of Apple's push service. */
export async function startApiWithApns(
  owner: Parameters<typeof startApi>[0],
  options: Omit<NonNullable<Parameters<typeof startApi>[1]>, "provides"> = {},
) {
  // The stand-in ends last, because pushes may still be on their way to it.
  const undos: (() => Promise<void>)[] = [];
  const later = { after: (undo: () => Promise<void>) => void undos.unshift(undo) };
  owner.after(async () => {
    for (const undo of undos) await undo();
  });
  const apns = await startApns(later);
  const api = await startApi(later, { ...options, provides: [apns.provision] });
  return { apns, api };
}

export type HeldPass = { readonly id: string; readonly token: string };

type Service = { readonly base: string; readonly passType: string };

export function createDevice(api: TestApi, { base, passType }: Service, deviceId: string) {
  const authorized = (token: string) => ({ authorization: `ApplePass ${token}` });
  const list = `${base}/devices/${deviceId}/registrations/${passType}`;
  return {
    id: deviceId,
    pushToken: createHash("sha256").update(deviceId).digest("hex"),
    register({ id, token }: HeldPass, pushToken?: string): Promise<ApiResponse> {
      const body = { pushToken: pushToken ?? this.pushToken };
      return api.post(`${list}/${id}`, { headers: authorized(token), body });
    },
    unregister: ({ id, token }: HeldPass) =>
      api.delete(`${list}/${id}`, { headers: authorized(token) }),
    ask: (since?: string) =>
      api.get(since === undefined ? list : `${list}?passesUpdatedSince=${since}`),
    fetch: ({ id, token }: HeldPass, since?: string, method = "GET") =>
      api.request(method, `${base}/passes/${passType}/${id}`, {
        headers: {
          ...authorized(token),
          ...(since === undefined ? {} : { "if-modified-since": since }),
        },
      }),
    /** The content of the pass, as the device would show it. */
    async show({ id, token }: HeldPass) {
      const address = `${api.url}${base}/passes/${passType}/${id}`;
      const answer = await fetch(address, { headers: authorized(token) });
      const zip = await readZip(Buffer.from(await answer.arrayBuffer()));
      if (!zip.ok) throw new Error("The pass is no archive.");
      return JSON.parse(String(zip.files.get("pass.json")));
    },
  };
}
export type AppleDevice = ReturnType<typeof createDevice>;
