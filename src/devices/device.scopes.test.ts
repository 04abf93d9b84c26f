import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { accessToken, createFirstAdministrator } from "#test/support/people.ts";
import { shareApi } from "#test/support/start-api.ts";

const DEVICES = "/api/acme/devices";
const WAYS = ["connect", "connections/reset", "pairing"];

describe("a caller who gives a device its key", () => {
  const api = shareApi({ env: { BASE_URL: "http://passes.example.com:8080" } });
  before(() => api().seed.tenant("acme"));

  const register = async (key = api().operatorKey): Promise<string> => {
    const made = await api().post(DEVICES, { key, body: { name: "Door" } });
    assert.equal(made.status, 201, made.text);
    return made.body.deviceId;
  };

  it("403: by connecting, resetting or pairing it, without the scopes that the key has", async () => {
    const lacking: readonly [readonly string[], readonly string[]][] = [
      [[], ["Pass.Read", "PassScan.Scan"]],
      [["Pass.Read"], ["PassScan.Scan"]],
      [["PassScan.Scan", "Pass.Write"], ["Pass.Read"]],
    ];
    for (const [held, missing] of lacking) {
      const key = await api().seed.key("acme", "Device.Read", "Device.Write", ...held);
      const id = await register(key);
      for (const way of WAYS) {
        const { status, body } = await api().post(`${DEVICES}/${id}/${way}`, { key });
        assert.deepEqual([status, body.code], [403, "api-key.scope-not-held"], way);
        assert.deepEqual(body.missingScopes, missing, way);
      }
      const { body } = await api().get(`${DEVICES}/${id}`, { key });
      assert.deepEqual([body.status, body.version], ["registered", 1]);
      assert.deepEqual(
        await api().sql("select from device_pairing where device_id = $1", [id]),
        [],
      );
    }
  });

  it("403: also of a device that has a key, which goes on working", async () => {
    const id = await register();
    const connected = await api().post(`${DEVICES}/${id}/connect`, { key: api().operatorKey });
    const key = await api().seed.key("acme", "Device.Write");
    for (const way of WAYS) {
      assert.equal((await api().post(`${DEVICES}/${id}/${way}`, { key })).status, 403, way);
    }
    const used = await api().get(`${DEVICES}/current`, { key: connected.body.apiKey });
    assert.equal(used.status, 200);
  });

  it("403: a person whose token is limited, in the words of tokens; 200 with all of it", async () => {
    const { browser } = await createFirstAdministrator(api());
    const id = await register();
    const limited = await accessToken(api(), browser, "tenant.device:write");
    const refused = await api().post(`${DEVICES}/${id}/pairing`, { bearer: limited });
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.body.missingScopes, ["tenant.pass:read", "tenant.scan:write"]);
    const bearer = await accessToken(api(), browser);
    assert.equal((await api().post(`${DEVICES}/${id}/pairing`, { bearer })).status, 200);
  });

  it("200: with these scopes; the device that has the code needs none", async () => {
    const key = await api().seed.key("acme", "Device.Write", "Pass.Read", "PassScan.Scan");
    const id = await register(key);
    const { status, body } = await api().post(`${DEVICES}/${id}/pairing`, { key });
    assert.equal(status, 200);
    const paired = await api().post("/.well-known/billfold/pair", { body: { code: body.code } });
    assert.deepEqual([paired.status, paired.body.deviceId], [200, id]);
    const reset = await api().post(`${DEVICES}/${id}/connections/reset`, { key });
    assert.equal(reset.status, 200);
    const used = await api().get(`${DEVICES}/current`, { key: reset.body.apiKey });
    assert.equal(used.status, 200);
  });

  it("204: changing and removing a device needs Device.Write alone", async () => {
    const key = await api().seed.key("acme", "Device.Write");
    const id = await register(key);
    const body = { name: "South door" };
    assert.equal((await api().put(`${DEVICES}/${id}`, { key, body })).status, 200);
    assert.equal((await api().delete(`${DEVICES}/${id}`, { key })).status, 204);
  });
});
