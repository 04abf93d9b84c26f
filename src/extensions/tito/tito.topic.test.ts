import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { shareApi } from "#test/support/start-api.ts";
import { openVendor } from "#test/support/vendor-stage.ts";

const TOKEN = "hush";
const TICKET = { id: 7, slug: "ti_7", name: "CANARY", state_name: "complete" };

describe("the topic of what Tito sends, which it does not sign", () => {
  const api = shareApi();

  it("200: a check-in is not taken for a ticket, and is erased with the ticket's pass", async () => {
    const { send, hasten, deliveries } = await openVendor(api(), "topics", {
      connector: "tito",
      settings: { securityToken: TOKEN },
      identifier: "tito.ticketId",
      sign: () => ({}),
    });
    const deliver = async (topic: string, body: object) => {
      const text = JSON.stringify({ event: { slug: "regatta" }, ...body });
      const signature = createHmac("sha256", TOKEN).update(text).digest("base64");
      const headers = { "x-webhook-name": topic, "tito-signature": signature };
      assert.equal((await send(text, headers)).status, 200);
      await hasten();
    };
    const pass = async () => {
      const [row] = await api().sql("select id, status from pass where tenant_id = 'topics'");
      return row;
    };
    await deliver("ticket.completed", TICKET);
    const { id, status } = (await pass()) ?? {};
    await deliver("ticket.voided", { id: 7, ticket_id: 7, name: "CANARY" });
    assert.equal((await pass())?.status, status);
    const [, last] = await deliveries();
    assert.deepEqual([last?.status, last?.problem], ["failed", "Its body is that of a check-in."]);
    const gone = await api().delete(`/api/topics/passes/${id}`, { key: api().operatorKey });
    assert.ok(gone.status < 300, gone.text);
    assert.deepEqual(
      (await deliveries()).map(({ body }) => body),
      [null, null],
    );
  });
});
