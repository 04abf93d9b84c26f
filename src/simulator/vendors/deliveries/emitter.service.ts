import { ControlTable } from "../frame/control.ts";
import { Shelf, type Vendor, type VendorTools } from "../frame/vendor.ts";
import { addDeliveries } from "./delivery.control.ts";
import { Outbox, type OutboxState } from "./delivery.service.ts";
import type { Delivery, DeliveryRules } from "./delivery.ts";

/** Whoever has an address told, and the secret that signs for it. */
export type Account = { readonly id: string; readonly secret: string };

type Headers = Readonly<Record<string, string>>;

export type EmitterWays = {
  readonly name: string;
  readonly rules: DeliveryRules;
  /** All headers but those of the signature. */
  readonly headers: (delivery: Delivery) => Headers;
  readonly sign: (secret: string, delivery: Delivery, wall: Date) => Headers;
};

type Kept<Thing> = {
  readonly accounts: readonly (readonly [string, Account])[];
  readonly things: readonly (readonly [string, Thing])[];
  readonly outbox: OutboxState;
  readonly lastId: number;
};

/** A vendor that is never called, and tells its receivers by signed webhooks. */
export class Emitter<Thing> implements Vendor {
  readonly name: string;
  readonly control = new ControlTable();
  readonly outbox: Outbox;
  readonly accounts: Shelf<Account>;
  /** Customers, payments, tickets and whatever else the vendor knows, by their ids. */
  readonly things: Shelf<Thing>;
  protected readonly tools: VendorTools;
  #lastId: number;

  constructor(tools: VendorTools, { name, rules, headers, sign }: EmitterWays) {
    this.name = name;
    this.tools = tools;
    const kept = tools.kept as Kept<Thing> | undefined;
    this.accounts = new Shelf("account", 50, kept?.accounts);
    this.things = new Shelf("thing", 20_000, kept?.things);
    this.#lastId = kept?.lastId ?? 5_000_000;
    const prepare = (delivery: Delivery, forgery: string) => {
      const { secret } = this.accounts.get(delivery.account);
      const used = forgery === "wrong-signature" ? `not ${secret}` : secret;
      const signature = forgery === "no-signature" ? {} : sign(used, delivery, tools.clock.wall());
      const type = { "Content-Type": "application/json" };
      return { headers: { ...type, ...headers(delivery), ...signature }, body: delivery.body };
    };
    this.outbox = new Outbox({ ...tools, rules, prepare }, kept?.outbox);
    this.control.get("", () => ({
      accounts: this.accounts.all.map(({ secret: _, ...account }) => account),
      things: this.things.all.slice(-200),
      subscriptions: this.outbox.subscriptions,
    }));
    addDeliveries(this.control, this);
  }

  async open(): Promise<void> {
    this.outbox.resume();
  }

  async close(): Promise<void> {
    // Has no socket of its own.
  }

  keep(): Kept<Thing> {
    return {
      accounts: this.accounts.entries(),
      things: this.things.entries(),
      outbox: this.outbox.keep(),
      lastId: this.#lastId,
    };
  }

  async reset(): Promise<void> {
    this.accounts.clear();
    this.things.clear();
    this.outbox.clear();
  }

  requireAccount(id: string): void {
    this.accounts.get(id);
  }

  /** Opens an account whose events go to the address, signed by the secret. */
  openAccount(id: string, secret: string, url?: string): Account {
    if (url !== undefined) this.tools.resolve(url);
    const account = this.accounts.put(id, { id, secret });
    if (url !== undefined) this.outbox.subscribe(id, url);
    this.tools.changed();
    return account;
  }

  /** Whether the vendor still calls an address of the account. */
  isOn(id: string): boolean {
    return this.outbox.subscriptions.some(
      ({ account, endedAt }) => account === id && endedAt === null,
    );
  }

  /** Sends any text as the account, signed. */
  deliver(account: string, topic: string, body: string): Delivery[] {
    return this.outbox.emit({ account, topic, body, facts: { createdAt: this.stamp() } });
  }

  protected newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  protected stamp(): string {
    return this.tools.clock.stamp();
  }
}
