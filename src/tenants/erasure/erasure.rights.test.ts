import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { openEvents } from "#test/support/event-source.ts";
import { startOpenIdIssuer } from "#test/support/openid-issuer.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import {
  answerOf,
  askToken,
  codeRequest,
  createFirstAdministrator,
  joinByInvitation,
} from "#test/support/people.ts";
import { connectDrop, DROP_PASSWORD, dropPort, seedDrop, setPassword } from "#test/support/sftp.ts";
import { shareApi, startApi, type TestApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";

const BASE_URL = "http://passes.example.com:8080";

async function endTenant(api: TestApi, tenantId: string): Promise<void> {
  const { status } = await api.delete(`/api/tenants/${tenantId}`, { key: api.operatorKey });
  assert.equal(status, 204);
  const isFree = async () =>
    (await api.sql("select from tenant where id = $1", [tenantId])).length === 0;
  await until(isFree, "the end of the tenant");
}

describe("what gave access to a tenant that has ended", () => {
  const api = shareApi({ env: { BASE_URL, ROLES: "api,worker,sftp" } });
  let other: TestApi;
  const nodes = () => [api(), other];

  before(async () => {
    other = await api().node();
    await createFirstAdministrator(api());
  });

  it("401: its API keys, and 401: the keys of its devices, on every node", async () => {
    await seedPassTenant(api(), "keys");
    const token = await api().seed.key("keys", "Pass.Read", "Device.Write");
    const device = await api().post("/api/keys/devices", {
      key: token,
      body: { name: "Till" },
    });
    const { deviceId } = device.body;
    const connected = await api().post(`/api/keys/devices/${deviceId}/connect`, {
      key: api().operatorKey,
    });
    assert.equal(connected.status, 200, connected.text);
    const credentials = [token, connected.body.apiKey];
    for (const node of nodes()) {
      for (const key of credentials) {
        assert.equal((await node.get("/api/keys/passes", { key })).status, 200);
      }
    }
    await endTenant(api(), "keys");
    await seedPassTenant(api(), "keys");
    for (const node of nodes()) {
      for (const key of credentials) {
        assert.equal((await node.get("/api/keys/passes", { key })).status, 401);
      }
    }
  });

  it("404: the links and bundles of its passes, and the pairing codes of its devices", async () => {
    await seedPassTenant(api(), "links");
    const body = { name: "Gate" };
    const key = api().operatorKey;
    const device = await api().post("/api/links/devices", { key, body });
    const pairing = await api().post(`/api/links/devices/${device.body.deviceId}/pairing`, { key });
    const { links } = await seedPass(api(), "links");
    const paths = Object.values(links).map((link) => new URL(link).pathname);
    for (const path of paths) assert.ok((await api().get(path)).status < 400, path);
    await endTenant(api(), "links");
    await seedPassTenant(api(), "links");
    for (const node of nodes()) {
      for (const path of paths) assert.equal((await node.get(path)).status, 404, path);
      const paired = await node.post("/.well-known/billfold/pair", {
        body: { code: pairing.body.code },
      });
      assert.equal(paired.status, 404, paired.text);
    }
  });

  it("403: the session and the refresh token of an administrator who had rights in it", async () => {
    for (const id of ["grants", "kept"]) await api().seed.tenant(id);
    const person = { email: "bob@example.com", name: "bob", role: "tenant" } as const;
    const { browser } = await joinByInvitation(api(), { ...person, tenants: ["grants", "kept"] });
    const { url, verifier } = codeRequest(api(), {
      scope: "openid offline_access tenant.secret:read",
    });
    const page = await browser.open(url, `${BASE_URL}/console/callback`);
    const granted = await askToken(api(), {
      grant_type: "authorization_code",
      code: answerOf(page).get("code") ?? "",
      code_verifier: verifier,
    });
    assert.equal(granted.status, 200, JSON.stringify(granted.body));
    const read = (bearer = "") => api().get("/api/grants/secrets", { bearer });
    assert.equal((await read(granted.body.access_token)).status, 200);
    await endTenant(api(), "grants");
    await api().seed.tenant("grants");
    assert.equal((await read(granted.body.access_token)).status, 403);
    const refreshed = await askToken(api(), {
      grant_type: "refresh_token",
      refresh_token: granted.body.refresh_token ?? "",
    });
    assert.equal(refreshed.status, 200);
    assert.equal((await read(refreshed.body.access_token)).status, 403);
    const kept = await api().get("/api/kept/secrets", {
      bearer: refreshed.body.access_token ?? "",
    });
    assert.equal(kept.status, 200);
  });

  it("its open streams end, on every node", async () => {
    await api().seed.tenant("streams");
    const key = api().operatorKey;
    const own = await api().seed.key("streams", "Webhook.Read");
    const streams = await Promise.all(
      nodes().flatMap((node) =>
        [key, own].map((each) =>
          openEvents({ url: node.application.url ?? "" }, "/api/streams/events/stream", {
            key: each,
          }),
        ),
      ),
    );
    for (const stream of streams) assert.equal(stream.status, 200);
    await endTenant(api(), "streams");
    await api().seed.tenant("streams");
    for (const stream of streams) await stream.ended();
  });

  it("its file drop: a session ends, although the next tenant has the same password", async () => {
    await seedDrop(api(), "drop");
    const port = await dropPort(api(), "drop");
    await using session = await connectDrop({ port, username: "drop", password: DROP_PASSWORD });
    await session.files();
    await endTenant(api(), "drop");
    await seedDrop(api(), "drop");
    await setPassword(api(), "drop", DROP_PASSWORD);
    await session.closed;
  });
});

describe("a token of another issuer that names a tenant", () => {
  it("403: in the next tenant of the id, if it is older than the end of that tenant", async (t) => {
    const issuer = await startOpenIdIssuer(t);
    const api = await startApi(t, { env: { BASE_URL, AUTH_ISSUER: issuer.url } });
    for (const id of ["acme", "stays"]) await api.seed.tenant(id);
    const claims = {
      sub: "auth0|42",
      aud: `${BASE_URL}/api/`,
      scope: "tenant.apikey:read platform:admin",
      roles: ["tenant-administrator"],
      tenants: ["acme", "stays"],
    };
    const bearer = await issuer.sign(claims);
    const statusIn = async (tenantId: string, token: string) =>
      (await api.get(`/api/${tenantId}/admin/apiKeys`, { bearer: token })).status;
    assert.equal(await statusIn("acme", bearer), 200);
    await endTenant(api, "acme");
    await api.seed.tenant("acme");
    assert.equal(await statusIn("acme", bearer), 403);
    assert.equal(await statusIn("stays", bearer), 200);
    const me = await api.get("/api/me", { bearer });
    assert.deepEqual(
      me.body.tenants.map(({ tenantId }: { tenantId: string }) => tenantId),
      ["stays"],
    );
    const iat = Math.floor(Date.now() / 1000) + 2;
    assert.equal(await statusIn("acme", await issuer.sign({ ...claims, iat })), 200);
  });
});
