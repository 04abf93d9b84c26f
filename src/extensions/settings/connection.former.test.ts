import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openVendor } from "#test/support/vendor-stage.ts";

describe("a secret that was replaced", () => {
  const api = shareApi();

  it("200: holds for a day, also with line ends in it and after another change", async () => {
    const { path, send } = await openVendor(api(), "former", {
      connector: "tito",
      settings: { securityToken: "e1:tokA\ne2:tokB" },
      identifier: "tito.ticketId",
      sign: () => ({}),
    });
    const statusOf = async (slug: string, token: string) => {
      const body = JSON.stringify({ event: { slug } });
      const signature = createHmac("sha256", token).update(body).digest("base64");
      const headers = { "x-webhook-name": "registration.filled", "tito-signature": signature };
      return (await send(body, headers)).status;
    };
    const put = async (securityToken: string) => {
      const body = { passType: "member", securityToken };
      const { status, text } = await api().put(path, { key: api().operatorKey, body });
      assert.equal(status, 204, text);
    };
    const all = async () => [
      await statusOf("e1", "tokA"),
      await statusOf("e2", "tokB"),
      await statusOf("e3", "tokC"),
      await statusOf("e4", "tokD"),
    ];
    assert.deepEqual(await all(), [200, 200, 401, 401]);
    await put("e3:tokC");
    assert.deepEqual(await all(), [200, 200, 200, 401]);
    await put("e4:tokD");
    assert.deepEqual(await all(), [200, 200, 200, 200]);
  });
});
