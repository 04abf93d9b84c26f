import type { Browser, Page } from "playwright-core";
import { seedPass } from "./pass-tenant.ts";
import type { TestApi } from "./start-api.ts";

/** The scanner page of a tenant with loyalty cards, as a person at the door has it. */

export const PHONE = { width: 390, height: 844 };

export function scannerOf(api: () => TestApi, chromium: () => Browser, tenantId: string) {
  const at = (path: string) => `/api/${tenantId}/${path}`;
  const asOperator = (body?: unknown) => ({ key: api().operatorKey, body });

  /** A loyalty pass with one entry, found by its number. */
  async function seedCard(number: string): Promise<string> {
    const { id } = await seedPass(api(), tenantId, { identifiers: { "loyalty.number": number } });
    const body = { name: "Entry", type: "OneTime" };
    const { status, text } = await api().put(at(`passes/${id}/privileges/entry`), asOperator(body));
    if (status > 201) throw new Error(text);
    return id;
  }

  async function register(settings: object): Promise<{ deviceId: string }> {
    const sent = await api().post(at("devices"), asOperator({ name: "North door", settings }));
    if (sent.status !== 201) throw new Error(sent.text);
    return sent.body;
  }

  async function makeCode(deviceId: string): Promise<string> {
    return (await api().post(at(`devices/${deviceId}/pairing`), asOperator())).body.code;
  }

  const scansOf = async (deviceId: string) => {
    const { status, body, text } = await api().get(at("scans?pageSize=500"), asOperator());
    if (status !== 200) throw new Error(`${status} ${text}`);
    return (body as { deviceId: string; data: string; type: string; decision: string }[])
      .filter((scan) => scan.deviceId === deviceId)
      .map(({ data, type, decision }) => `${type} ${data} ${decision}`)
      .sort();
  };

  async function open(code: string, permissions: string[] = []) {
    const context = await chromium().newContext({ viewport: PHONE, locale: "en-GB" });
    // All others are refused.
    await context.grantPermissions(permissions);
    const page = await context.newPage();
    const offences: string[] = [];
    page.on("pageerror", (error) => offences.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") offences.push(message.text());
    });
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== api().application.url && protocol !== "blob:") offences.push(request.url());
    });
    await page.goto(`${api().application.url}/scan#${code}`);
    await page.getByRole("heading", { name: "North door" }).waitFor();
    return { context, page, offences };
  }

  return { at, asOperator, seedCard, register, makeCode, scansOf, open };
}

export const verdict = (page: Page, name: string) =>
  page.getByRole("heading", { name, exact: true });
export const next = (page: Page) => page.getByRole("button", { name: "Next" }).click();

/** As a barcode gun does: it types the code and Enter, without a pause. */
export async function shoot(page: Page, code: string): Promise<void> {
  await page.evaluate(`for (const key of [...${JSON.stringify(code)}, "Enter"]) {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  }`);
}

/** What the page keeps in this browser: all values of one store, or one of them by its key. */
export function kept(page: Page, store: string, key?: string): Promise<unknown> {
  const get = key === undefined ? "getAll()" : `get(${JSON.stringify(key)})`;
  return page.evaluate(`new Promise((done, fail) => {
    const open = indexedDB.open("billfold-scanner");
    open.onerror = () => fail(open.error);
    open.onsuccess = () => {
      const asked = open.result.transaction("${store}").objectStore("${store}").${get};
      asked.onsuccess = () => {
        open.result.close();
        done(asked.result);
      };
    };
  })`);
}

/** Until the page has the list for times without a network. */
export async function waitForList(page: Page): Promise<void> {
  const end = Date.now() + 20_000;
  while ((await kept(page, "kept", "list")) === undefined) {
    if (Date.now() > end) throw new Error("There is no list.");
    await page.waitForTimeout(20);
  }
}
