import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openAppleStage } from "#test/support/apple-stage.ts";
import { startApi } from "#test/support/start-api.ts";
import { until } from "#test/support/webhook-receiver.ts";
import { createWalletServices } from "./wallet-services.ts";

describe("where the wallets answer", () => {
  it("is Apple for Apple's certificates, and never for those of the development authority", async () => {
    const services = createWalletServices({ apnsUrl: undefined, googleWalletUrl: undefined });
    assert.equal((await services.apple(false)).url, "https://api.push.apple.com");
    await assert.rejects(services.apple(true), /by a simulator only/);
    for (const apnsUrl of ["https://api.push.apple.com", "https://API.push.apple.com:2197/"]) {
      const named = createWalletServices({ apnsUrl, googleWalletUrl: undefined });
      assert.equal((await named.apple(false)).url, apnsUrl);
      await assert.rejects(named.apple(true), /by a simulator only/);
    }
    const apnsUrl = "https://push.example";
    const elsewhere = createWalletServices({ apnsUrl, googleWalletUrl: undefined });
    assert.equal((await elsewhere.apple(true)).url, apnsUrl);
  });

  it("without a simulator, pushes of the development authority wait, and say so", async (t) => {
    const api = await startApi(t, { env: { SIMULATOR: "0" } });
    const stage = await openAppleStage(api);
    const [pass, phone] = [await stage.pass(), stage.device()];
    await phone.fetch(pass);
    await phone.register(pass);
    await stage.change(pass, "Ada");
    await until(async () => (await stage.deliveries(pass)).queue.state !== "open");
    const { queue, deliveries } = await stage.deliveries(pass);
    assert.deepEqual(
      [queue.state, queue.reason, deliveries[0].state],
      ["unreachable", "NoService", "queued"],
    );
    const { delivery } = await stage.change(pass, "Grace", true);
    assert.match(JSON.stringify(delivery?.apple), /No push service is set up/);
  });
});
