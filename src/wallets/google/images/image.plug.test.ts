import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import sharp from "sharp";
import { startGoogleFixture } from "#test/support/google-fixture.ts";
import { ISSUER_ID, seedGoogleTenant } from "#test/support/google-stand-in.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import { until } from "#test/support/webhook-receiver.ts";

const { google, api, savedPass } = await startGoogleFixture({ after });
const key = api.operatorKey;

const logo = async (background: string) => {
  const create = { width: 700, height: 700, channels: 3, background } as const;
  return { base64: (await sharp({ create }).png().toBuffer()).toString("base64") };
};
const [RED, BLUE] = [await logo("#aa1122"), await logo("#2211aa")];
const LOYALTY = String(PASS_FILES["server/passes/loyalty.yml"]).replace(
  "icon: images/icon.png",
  "icon: images/icon.png, logo: images/logo.png",
);
const publish = (tenantId: string, image: { base64: string }, text = LOYALTY) =>
  seedGoogleTenant(api, tenantId, {
    "server/passes/loyalty.yml": text,
    "images/logo.png": image,
  });

const classOf = (tenantId: string) =>
  google.resource("loyaltyClass", `${ISSUER_ID}.${tenantId}.loyalty`);
const logoOf = (tenantId: string): string =>
  new URL(classOf(tenantId).programLogo.sourceUri.uri).pathname;

async function givenLogo(tenantId: string): Promise<string> {
  await publish(tenantId, RED);
  await savedPass(tenantId);
  return logoOf(tenantId);
}

/** The picture at an address, with a colour from its middle. */
async function look(path: string, node = api) {
  const response = await fetch(`${node.application.url}${path}`);
  const { status, headers } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  if (status !== 200) return { status };
  const { data } = await sharp(bytes)
    .extract({ left: 300, top: 300, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { status, cached: headers.get("cache-control"), color: data.toString("hex") };
}

const SHOWN = { status: 200, cached: "public, max-age=31536000, immutable" };

describe("the address of a picture that Google was given", () => {
  it("200: shows it also after other pictures and another colour were published", async () => {
    const first = await givenLogo("acme");
    assert.deepEqual(await look(first), { ...SHOWN, color: "aa1122" });
    await publish("acme", BLUE);
    await until(() => logoOf("acme") !== first);
    const second = logoOf("acme");
    await publish("acme", BLUE, LOYALTY.replace('background: "#1f2a44"', 'background: "#402020"'));
    await until(() => logoOf("acme") !== second);
    for (const [path, color] of [
      [first, "aa1122"],
      [second, "2211aa"],
      [logoOf("acme"), "2211aa"],
    ] as const) {
      assert.deepEqual(await look(path), { ...SHOWN, color }, path);
    }
    // Also where nothing of it is in the memory of a process or made already.
    await api.sql("delete from fitted_image");
    assert.deepEqual(await look(first, await api.node()), { ...SHOWN, color: "aa1122" });
  });

  it("404: is that of one tenant alone", async () => {
    const path = await givenLogo("owner");
    await publish("owner", BLUE);
    await publish("rival", BLUE);
    assert.equal((await look(path)).status, 200);
    assert.equal((await look(path.replace("/owner/", "/rival/"))).status, 404);
    assert.equal((await look(path.replace(/[0-9a-f]{32}/, "0".repeat(32)))).status, 404);
  });

  it("404: ends at once with its tenant, also for the next one of the same id", async () => {
    const path = await givenLogo("brief");
    await publish("brief", BLUE);
    assert.equal((await look(path)).status, 200);
    assert.equal((await api.delete("/api/tenants/brief", { key })).status, 204);
    assert.equal((await look(path)).status, 404);
    const isFree = async () =>
      (await api.sql("select from tenant where id = 'brief'")).length === 0;
    await until(isFree);
    await publish("brief", BLUE);
    assert.equal((await look(path)).status, 404);
  });
});
