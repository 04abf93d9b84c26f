import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, findingsOf, shareChromium } from "#test/support/chromium.ts";
import { heading, narrowScope, openConsole, PHONE } from "#test/support/console-page.ts";
import { ISSUER_ID, SERVICE_ACCOUNT, startGoogle } from "#test/support/google-stand-in.ts";
import { describeRequest, makeKeyStore } from "#test/support/key-stores.ts";
import { freePort } from "#test/support/product.ts";
import { shareApi } from "#test/support/start-api.ts";
import {
  authority,
  fingerprintOf,
  issuePassCertificate,
  PASS_TYPE,
  walletStage,
} from "#test/support/wallet-credentials.ts";
import { until } from "#test/support/webhook-receiver.ts";

const TENANT = "harbour";
const DAY_MS = 86_400_000;
const port = await freePort();
const google = await startGoogle({ after });

describeInBrowser("wallet credentials and tenants in the console", () => {
  const chromium = shareChromium();
  const api = shareApi({ env: { PORT: String(port), GOOGLE_WALLET_URL: google.url } });
  let visit: Awaited<ReturnType<typeof openConsole>>;
  const page = () => visit.page;
  const dialog = (name: string | RegExp) => page().getByRole("dialog", { name });
  const card = (name: string) => page().getByRole("region", { name });
  const row = (name: string) => page().getByRole("row").filter({ hasText: name });
  // A dialog that a failed test left open is of no concern to the next.
  const load = (path: string) =>
    page().goto(`${api().runtime.baseUrl}/console/${TENANT}/settings/${path}`);
  const health = () => walletStage(api()).health(TENANT);
  const get = async (path: string) => (await api().get(path, { key: api().operatorKey })).body;

  before(async () => {
    await api().seed.tenant(TENANT);
    visit = await openConsole(chromium(), api(), `/${TENANT}/settings/wallets`);
  });

  it("a key store of the keychain becomes the certificate in use, with the file that names it", async () => {
    await heading(page(), "Wallet credentials").waitFor();
    await card("Apple Wallet").getByText("Testing only", { exact: true }).waitFor();
    assert.deepEqual(await findingsOf(page()), []);
    const first = issuePassCertificate({ to: new Date(Date.now() + 20.5 * DAY_MS) });
    const store = makeKeyStore({
      certificate: first.certificate,
      keyPem: first.keyPem,
      chain: authority.certificate,
      passphrase: "open sesame",
    });
    await page().getByRole("button", { name: "Upload certificate" }).click();
    const form = dialog("Upload certificate");
    await chooseFile(page(), "Certificate file", "pass.p12", store);
    await form.getByLabel("Passphrase").fill("wrong");
    await form.getByRole("button", { name: "Upload certificate" }).click();
    await form.getByText("does not open 'file'").waitFor();
    assert.deepEqual(await findingsOf(page()), []);
    await form.getByLabel("Passphrase").fill("open sesame");
    await form.getByRole("button", { name: "Upload certificate" }).click();
    const stored = dialog("The certificate is stored.");
    await stored.getByText("server/apple.yml").first().waitFor();
    await stored.getByRole("button", { name: "Publish the file" }).click();
    await card("Apple Wallet").getByText("Expires soon", { exact: true }).waitFor();
    await card("Apple Wallet").getByText("20 days left").first().waitFor();
    const { isConfigured, current } = await health();
    assert.deepEqual([isConfigured, current.fingerprint], [true, fingerprintOf(first)]);
  });

  it("a signing request made here is certified, waits, takes over, and goes back by undo", async () => {
    await load("wallets");
    await page().getByRole("button", { name: "Make signing request" }).click();
    const form = dialog("Make signing request");
    await form.getByLabel("Name in the request").fill("Harbour Club");
    await form.getByRole("button", { name: "Make signing request" }).click();
    const made = dialog("The signing request is made");
    const [download] = await Promise.all([
      page().waitForEvent("download"),
      made.getByRole("button", { name: "Download request" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `${TENANT}.certSigningRequest`);
    const request = describeRequest(readFileSync(await download.path(), "utf8"));
    assert.match(request, /Harbour Club/);
    assert.deepEqual(await findingsOf(page()), []);
    await made.getByRole("button", { name: "Done" }).click();
    await card("Apple Wallet").getByText("One signing request waits").waitFor();

    const [pem = ""] = /-----BEGIN PUBLIC KEY-----.+-----END PUBLIC KEY-----/s.exec(request) ?? [];
    const next = issuePassCertificate({
      publicKey: createPublicKey(pem),
      to: new Date(Date.now() + 365.5 * DAY_MS),
    });
    await page().getByRole("button", { name: "Upload certificate" }).click();
    const upload = dialog("Upload certificate");
    await upload.getByText("As text (PEM)").click();
    await upload.getByRole("textbox", { name: "Certificate", exact: true }).fill(next.certificate);
    await upload.getByRole("button", { name: "Upload certificate" }).click();
    const stored = dialog("The certificate is stored.");
    await stored.getByText(/iPhones accept updates only over https/).waitFor();
    await stored.getByRole("button", { name: "Done" }).click();
    const inUse = async () => (await health()).current.fingerprint;
    const before = await inUse();
    await card("Apple Wallet").getByText("Waits to take over").waitFor();
    await page().getByRole("button", { name: "Switch to it" }).click();
    await until(async () => (await inUse()) === fingerprintOf(next));
    assert.deepEqual(await findingsOf(page()), []);
    await page().getByRole("button", { name: "Undo" }).click();
    await until(async () => (await inUse()) === before);
    await card("Apple Wallet")
      .getByText(/iPhones accept updates only over https/)
      .waitFor();
    assert.deepEqual(visit.offences, []);
  });

  it("a service account of Google is stored with its issuer, and checked in plain words", async () => {
    await load("wallets");
    await page().getByRole("button", { name: "Upload service account" }).click();
    const form = dialog("Upload service account");
    await chooseFile(page(), "Key file (JSON)", "key.json", Buffer.from("no json"));
    await form.getByRole("button", { name: "Upload service account" }).click();
    await form.getByText("This file is not JSON").waitFor();
    const file = { ...JSON.parse(SERVICE_ACCOUNT), project_id: "harbour" };
    await chooseFile(page(), "Key file (JSON)", "key.json", Buffer.from(JSON.stringify(file)));
    await form.getByLabel("Issuer ID").fill(ISSUER_ID);
    await form.getByRole("button", { name: "Upload service account" }).click();
    await card("Google Wallet").getByText("Needs a look", { exact: true }).waitFor();
    await card("Google Wallet")
      .getByText(/Google fetches pictures and sends callbacks over https/)
      .waitFor();
    await card("Google Wallet").getByText(ISSUER_ID).waitFor();

    google.fail(() => 403);
    await page().getByRole("button", { name: "Check with Google" }).click();
    const step = page().locator("div[lang=en]", { hasText: /is not a user of the issuer/ });
    await step.getByText(/Invite this address as a developer/).waitFor();
    assert.deepEqual(await findingsOf(page()), []);
    google.fail(() => ({ status: 200, body: { resources: [] } }));
    await page().getByRole("button", { name: "Check with Google" }).click();
    await step.waitFor({ state: "hidden" });
    const address = page().locator("div[lang=en]", { hasText: /this service is at http:/ });
    await address.getByText(/Set BASE_URL to a public https address/).waitFor();
    google.heal();
    // Private keys go one way.
    assert.doesNotMatch(await page().content(), /PRIVATE KEY/);
    assert.deepEqual(visit.offences, []);
  });

  it("a tenant is created with the files of another one, opened, and deleted by its id", async () => {
    await load("tenants");
    await row(TENANT).getByText("You are here").waitFor();
    assert.deepEqual(await findingsOf(page()), []);
    await page().getByRole("button", { name: "Create tenant" }).click();
    const form = dialog("Create tenant");
    await form.getByLabel("Name").fill("Harbour");
    await form.getByRole("button", { name: "Create tenant" }).click();
    await form.getByText(`There is a tenant ${TENANT} already.`).waitFor();
    await form.getByLabel("The files of another tenant").check();
    await form.getByPlaceholder("Choose one").click();
    await page().getByRole("option", { name: TENANT }).click();
    await form.getByLabel("Name").fill("Île d’Été");
    assert.equal(await form.getByLabel("Id in addresses").inputValue(), "ile-d-ete");
    assert.deepEqual(await findingsOf(page()), []);
    await form.getByRole("button", { name: "Create tenant" }).click();
    await page().waitForURL("**/console/ile-d-ete");
    await page().getByText("Île d’Été is created.").waitFor();
    const tenants = await get("/api/tenants");
    const names = tenants.map(({ name }: { name: string }) => name);
    assert.deepEqual(names.sort(), [TENANT, "Île d’Été"].sort());
    const { files } = (
      await api().get("/api/tenants/ile-d-ete", {
        key: api().operatorKey,
        headers: { accept: "application/json" },
      })
    ).body;
    assert.match(files["server/apple.yml"], new RegExp(PASS_TYPE));

    await page().getByRole("link", { name: "Tenants", exact: true }).click();
    await page().getByRole("button", { name: "Actions for Île d’Été" }).click();
    await page().getByRole("menuitem", { name: "Delete" }).click();
    const question = dialog("Delete Île d’Été for ever?");
    const verb = question.getByRole("button", { name: "Delete" });
    assert.ok(await verb.isDisabled());
    await question.getByLabel("Type ile-d-ete to confirm").fill("ile-d-ete");
    await verb.click();
    // Nothing of it is left to show, and one other tenant is.
    await page().waitForURL(`**/console/${TENANT}`);
    assert.deepEqual(
      (await get("/api/tenants")).map(({ tenantId }: { tenantId: string }) => tenantId),
      [TENANT],
    );
    assert.deepEqual(visit.offences, []);
    await visit.context.close();
  });

  it("is read on a phone, in French and in the dark; without the scope, buttons say why they are off", async () => {
    const look = { viewport: PHONE, locale: "fr-FR", colorScheme: "dark" } as const;
    const at = `/${TENANT}/settings/wallets`;
    visit = await openConsole(chromium(), api(), at, { ...look, tenants: [TENANT] });
    await heading(page(), "Accès aux wallets").waitFor();
    await card("Apple Wallet").getByText("Expire bientôt", { exact: true }).waitFor();
    const problem = card("Apple Wallet").getByRole("listitem").filter({ hasText: "60 jours" });
    await problem.getByText("Un certificat expire dans les 60 jours.").waitFor();
    await problem.locator("[lang=en]", { hasText: /expires on .+, in \d+ days/ }).waitFor();
    assert.deepEqual(await findingsOf(page()), []);
    assert.equal(await page().evaluate("document.documentElement.scrollWidth"), PHONE.width);
    await narrowScope(page(), "openid tenant.secret:read");
    await page().reload();
    const button = page().getByRole("button", { name: "Déposer un certificat" });
    await button.focus();
    await page().getByText("Il vous manque le droit tenant.secret:write.").waitFor();
    await button.click({ force: true });
    assert.equal(await page().getByRole("dialog").count(), 0);
    assert.deepEqual(visit.offences, []);
    await visit.context.close();
  });

  it("whoever deletes the last tenant is asked for a first one", async () => {
    visit = await openConsole(chromium(), api(), `/${TENANT}/settings/tenants`);
    await page()
      .getByRole("button", { name: `Actions for ${TENANT}` })
      .click();
    await page().getByRole("menuitem", { name: "Delete" }).click();
    const question = page().getByRole("dialog");
    await question.getByLabel(`Type ${TENANT} to confirm`).fill(TENANT);
    await question.getByRole("button", { name: "Delete" }).click();
    await heading(page(), "There is no tenant yet").waitFor();
    await page().waitForURL(/\/console\/?$/);
    assert.deepEqual(await get("/api/tenants"), []);
    assert.deepEqual(visit.offences, []);
    await visit.context.close();
  });
});

/** The field is a button; the browser opens its own window for it. */
async function chooseFile(page: Page, label: string, name: string, buffer: Buffer): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("dialog").getByLabel(label).click(),
  ]);
  await chooser.setFiles({ name, mimeType: "application/octet-stream", buffer });
}
