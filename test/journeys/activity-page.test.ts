import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { it, type TestContext } from "node:test";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { openJourneys } from "#test/support/journey-stage.ts";
import { shareApi } from "#test/support/start-api.ts";

/** Journey Builder, as the page of an activity sees it: messages of JSON in both directions. */
const builder = (url: string) => `<!doctype html><html lang="en"><title>Journey Builder</title>
<iframe id="activity" title="Activity" width="900" height="640" src="${url}"></iframe>
<script>
  const heard = [];
  const frame = document.getElementById("activity");
  const say = (e, a1) => frame.contentWindow.postMessage(JSON.stringify({ e, a1 }), "*");
  addEventListener("message", ({ source, data }) => {
    if (source === frame.contentWindow) heard.push(JSON.parse(data));
  });
</script>`;

type Heard = { readonly e: string; readonly a1?: unknown };

describeInBrowser("a marketer with the activity in Journey Builder", () => {
  const chromium = shareChromium();
  const api = shareApi();

  async function open(t: TestContext, isNamed = true) {
    const { put, path } = await openJourneys(api(), "sfmc", { jwtSecret: "s" });
    const { body } = await api().get(path, { key: api().operatorKey });
    const page = `${api().url}${new URL(body.webhookUrl).pathname}/index.html`;
    const server = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(builder(page));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => void server.close());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (isNamed) await put({ frameHosts: [origin] });
    const tab = await chromium().newPage();
    t.after(() => tab.close());
    const offences: string[] = [];
    tab.on("console", (message) => {
      if (message.type() === "error") offences.push(message.text());
    });
    tab.on("pageerror", (error) => offences.push(error.message));
    await tab.goto(origin);
    const say = (name: string, value?: unknown) =>
      tab.evaluate(`say(${JSON.stringify(name)}, ${JSON.stringify(value ?? null)})`);
    const heard = async (): Promise<Heard[]> => (await tab.evaluate("heard")) as Heard[];
    const saved = async () => {
      await tab.waitForFunction(`heard.some(({ e }) => e === "updateActivity")`);
      return (await heard()).find(({ e }) => e === "updateActivity")?.a1;
    };
    return { tab, page, frame: tab.frameLocator("#activity"), offences, say, heard, saved };
  }

  it("chooses what happens, maps attributes, and the activity has them", async (t) => {
    const { tab, frame, offences, say, heard, saved } = await open(t);
    await tab.waitForFunction(`heard.some(({ e }) => e === "ready")`);
    const given = { id: "x", key: "REST-1", arguments: { execute: { inArguments: [] } } };
    await say("initActivity", given);
    await say("requestedSchema", { schema: [{ key: "Event.DEAudience-1.FirstName" }] });
    await frame.getByLabel("Pass type").selectOption("member");
    assert.equal(await frame.locator("#attributes option").count(), 3);
    await frame.getByRole("button", { name: "Add a value" }).click();
    await frame.getByLabel("Member").fill("first name");
    await frame.getByLabel("Attribute or text").fill("{{Event.DEAudience-1.FirstName}}");
    await frame.getByRole("button", { name: "Save" }).click();
    await frame.getByRole("alert").getByText("'first name' cannot be").waitFor();
    await frame.getByLabel("Member").fill("firstName");
    await frame.getByRole("button", { name: "Save" }).click();
    assert.deepEqual(await saved(), {
      ...given,
      arguments: {
        execute: {
          inArguments: [
            {
              action: "createPass",
              passType: "member",
              "identifiers.sfmc.contactKey": "{{Contact.Key}}",
              "additionalData.firstName": "{{Event.DEAudience-1.FirstName}}",
            },
          ],
        },
      },
      metaData: { isConfigured: true },
    });
    assert.ok((await heard()).some(({ e }) => e === "setActivityDirtyState"));
    assert.deepEqual(offences, []);
  });

  it("finds again what was set up, changes it, and saves by the button of the frame", async (t) => {
    const { tab, frame, say, saved, offences } = await open(t);
    await tab.waitForFunction(`heard.some(({ e }) => e === "ready")`);
    const inArguments = [
      {
        action: "updatePass",
        "identifiers.crm.customerId": "{{Event.E.Id}}",
        "additionalData.points": "{{Event.E.Points}}",
      },
    ];
    await say("initActivity", { arguments: { execute: { inArguments, timeout: 10_000 } } });
    await frame.getByLabel("What shall happen").waitFor();
    assert.equal(await frame.getByLabel("What shall happen").inputValue(), "updatePass");
    assert.equal(await frame.getByLabel("Identifier").inputValue(), "crm.customerId");
    assert.equal(await frame.getByLabel("Member").inputValue(), "points");
    assert.equal(await frame.getByLabel("Pass type").isVisible(), false);
    await frame.getByLabel("What shall happen").selectOption("notifyPass");
    assert.equal(await frame.getByLabel("Member").isVisible(), false);
    await say("clickedNext");
    await frame.getByRole("alert").getByText("The message is empty.").waitFor();
    await frame.getByLabel("Message on the lock screen").fill("Ready.");
    await say("clickedNext");
    const kept = (await saved()) as { arguments: { execute: object } };
    assert.deepEqual(kept.arguments.execute, {
      inArguments: [
        {
          action: "notifyPass",
          "identifiers.crm.customerId": "{{Event.E.Id}}",
          "notification.text": "Ready.",
        },
      ],
      timeout: 10_000,
    });
    assert.deepEqual(offences, []);
  });

  it("can be used by everybody: axe finds nothing, in light and in dark", async (t) => {
    const { page } = await open(t);
    const tab = await chromium().newPage();
    t.after(() => tab.close());
    await tab.goto(page);
    // Without a frame, the page is its own parent.
    await tab.evaluate(`postMessage(JSON.stringify({ e: "initActivity", a1: {} }), "*")`);
    await tab.getByRole("button", { name: "Add a value" }).click();
    assert.deepEqual(await findingsOf(tab), []);
    for (const name of ["Member", "Attribute or text", "Message on the lock screen"]) {
      assert.equal(await tab.getByLabel(name).count(), 1, name);
    }
    await tab.setViewportSize({ width: 320, height: 640 });
    const wide = await tab.evaluate("document.documentElement.scrollWidth");
    assert.ok(Number(wide) <= 320, String(wide));
  });

  it("sees nothing in a frame of another site", async (t) => {
    const { frame, offences, heard } = await open(t, false);
    await frame.locator("body").waitFor({ state: "attached" });
    assert.equal(await frame.getByLabel("What shall happen").count(), 0);
    assert.deepEqual(await heard(), []);
    assert.match(offences.join(), /frame-ancestors/);
  });
});
