import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PRODUCT_OPERATOR_KEY } from "#test/support/product.ts";
import { shareProduct } from "#test/support/share-product.ts";
import { startWait } from "#test/support/slowness.ts";
import { WALLET_FILES } from "#test/support/wallet-tenant.ts";

const key = PRODUCT_OPERATOR_KEY;
const PATIENCE_MS = 30_000;
const LOOK_MS = 100;

type Card = { readonly key: string; readonly status: string };
type Phone = {
  readonly id: string;
  readonly cards: readonly (Card & Record<string, unknown>)[];
  readonly notices: readonly { readonly text: string }[];
};

type FeedEvent = {
  readonly event: string;
  readonly data: { readonly id: string; readonly wallet?: string };
};

/** Waits until the phones and the service, which talk to each other by themselves, have come so far. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const isOver = startWait(PATIENCE_MS);
  while (!(await isSo())) {
    assert.ok(!isOver(), `${what}: not after ${PATIENCE_MS} ms`);
    await sleep(LOOK_MS);
  }
}

describe("a pass on two phones", () => {
  const product = shareProduct({ DEMO: "0" });

  const phone = async (id: string): Promise<Phone> =>
    (await product().get(`/simulator/api/phones/${id}`)).body;
  const newPhone = async (kind: string): Promise<string> =>
    (await product().post("/simulator/api/phones", { body: { kind } })).body.id;
  const add = async (id: string, url: string): Promise<void> => {
    const { status, text } = await product().post(`/simulator/api/phones/${id}/passes`, {
      body: { url },
    });
    assert.equal(status, 201, text);
  };
  const shows = async (id: string, text: string): Promise<boolean> =>
    JSON.stringify((await phone(id)).cards).includes(`"value":${JSON.stringify(text)}`);
  const told = async (id: string): Promise<string[]> =>
    (await phone(id)).notices.map((notice) => notice.text);

  it("is installed, changed, announced, disabled and removed, and every step is an event in order", async () => {
    const put = await product().put("/api/tenants/harbour", { key, body: { files: WALLET_FILES } });
    assert.equal(put.status, 201, put.text);
    const made = await product().post("/api/harbour/passes?passType=loyalty", {
      key,
      body: { additionalData: { firstName: "Camille", points: 5 } },
    });
    assert.equal(made.status, 201, made.text);
    const { id, links } = made.body;
    const pass = `/api/harbour/passes/${id}`;
    const provider = async (wallet: string) =>
      (await product().get(pass, { key })).body.providers[wallet].status;
    const timeline = async (): Promise<string[]> =>
      (await product().get(`${pass}?expand=timeline`, { key })).body.timeline
        .map(({ event }: { event: string }) => event)
        .reverse();

    /** The events of the pass that tell of this wallet, or of none. */
    const stepsOf = async (wallet: string): Promise<string[]> => {
      const query = new URLSearchParams({ event: "pass.*", pageSize: "100" });
      const { status, body, text } = await product().get(`/api/harbour/events?${query}`, { key });
      assert.equal(status, 200, text);
      return (body as FeedEvent[])
        .filter(({ data }) => data.id === id && (data.wallet ?? wallet) === wallet)
        .map(({ event }) => event);
    };

    const [iphone, android] = [await newPhone("iphone"), await newPhone("android")];
    await add(iphone, links.landing);
    await add(android, links.landing);
    for (const wallet of ["apple", "google"]) {
      await until(`${wallet} has it`, async () => (await provider(wallet)) === "installed");
    }
    for (const one of [iphone, android]) assert.ok(await shows(one, "Camille"), one);

    const changed = await product().patch(pass, {
      key,
      body: { additionalData: { points: 42 }, options: { BypassQueue: true } },
    });
    assert.equal(changed.status, 200, changed.text);
    const { apple, google } = changed.body.delivery;
    assert.deepEqual([apple.state, google.state], ["sent", "sent"], changed.text);
    for (const one of [iphone, android]) await until("42 is shown", () => shows(one, "42"));
    for (const one of [iphone, android]) {
      await until("the change is told", async () => (await told(one)).length > 0);
    }
    assert.deepEqual(await told(iphone), ["You now have 42 points"]);
    // Google has words of its own for changes.
    assert.deepEqual(await told(android), ["Your pass was updated."]);
    for (const wallet of ["apple", "google"]) {
      await until(`${wallet} has the change`, async () =>
        (await stepsOf(wallet)).includes("pass.update-delivered"),
      );
    }

    await product().put(`${pass}/notification`, { key, body: { content: "Your table is ready." } });
    for (const one of [iphone, android]) {
      await until("the message came", async () => (await told(one)).join().includes("table"));
    }

    await product().patch(pass, {
      key,
      body: { status: "disabled", options: { BypassQueue: true } },
    });
    const statuses = async (one: string) => (await phone(one)).cards.map(({ status }) => status);
    await until("Apple voids it", async () => (await statuses(iphone)).join() === "voided");
    await until("Google ends it", async () => (await statuses(android)).join() === "inactive");

    for (const one of [iphone, android]) {
      const [card] = (await phone(one)).cards;
      const gone = await product().delete(`/simulator/api/phones/${one}/passes/${card?.key}`);
      assert.equal(gone.status, 204, gone.text);
    }
    for (const wallet of ["apple", "google"]) {
      await until(`${wallet} lost it`, async () => (await provider(wallet)) === "uninstalled");
    }

    const order = ["pass.created", "pass.installed", "pass.updated", "pass.update-delivered"];
    order.push("pass.notified", "pass.disabled", "pass.uninstalled");
    for (const wallet of ["apple", "google"]) {
      await until("the feed has the last event", async () =>
        (await stepsOf(wallet)).includes("pass.uninstalled"),
      );
      const steps = await stepsOf(wallet);
      const places = order.map((event) => steps.indexOf(event));
      assert.ok(!places.includes(-1), `${wallet}: ${steps.join(" ")}`);
      assert.deepEqual(
        places,
        places.toSorted((left, right) => left - right),
        `${wallet}: ${steps.join(" ")}`,
      );
    }
    const events = await timeline();
    assert.equal(events.filter((event) => event === "pass.installed").length, 2);
    assert.equal(events.filter((event) => event === "pass.uninstalled").length, 2);
  });
});
