import { randomUUID } from "node:crypto";
import { tooMany, unknownThing, vendorRefused } from "../frame/vendor.errors.ts";
import type { VendorTools } from "../frame/vendor.ts";
import { type Outcome, send, unanswered } from "./delivery.client.ts";
import {
  type Attempt,
  type Delivery,
  type DeliveryFault,
  type DeliveryRules,
  isSuccess,
  judge,
  type Prepared,
  type Subscription,
} from "./delivery.ts";

const SUBSCRIPTIONS_MAX = 200;
const WAITING_MAX = 5_000;
/** Settled ones beyond this are forgotten, oldest first. */
const SETTLED_MAX = 2_000;
const ATTEMPTS_SHOWN_MAX = 50;
const ANSWER_CHARS_MAX = 8_192;
const REORDERED = 2;
const SLOW_MS = 60_000;

export type OutboxState = {
  readonly subscriptions: readonly Subscription[];
  readonly deliveries: readonly Delivery[];
};

export type Emission = {
  readonly account: string;
  readonly topic: string;
  readonly body: string;
  readonly facts?: Readonly<Record<string, string>>;
  /** Which subscriptions want it, besides what their topics say. */
  readonly isFor?: (subscription: Subscription) => boolean;
};

export type Forgery = "none" | "wrong-signature" | "no-signature";

type Options = VendorTools & {
  readonly rules: DeliveryRules;
  /** Writes headers, signed by the account's secret, or by another if that is wanted. */
  readonly prepare: (delivery: Delivery, forgery: Forgery) => Prepared;
  readonly onSettled?: (delivery: Delivery) => void;
};

/** What a vendor has to tell, by its own rules of retries. */
export class Outbox {
  readonly #options: Options;
  readonly #subscriptions: Subscription[];
  #deliveries: Delivery[];
  #fault: DeliveryFault | undefined;
  #faultLeft = 0;
  #order = 0;
  readonly #sending = new Set<string>();
  readonly #runners = new Map<string, number>();
  /** Set for trials with endpoints that are slow, or many deliveries at a time. */
  deadlineMs: number;
  parallel = 1;

  constructor(options: Options, kept?: OutboxState) {
    this.#options = options;
    this.deadlineMs = options.rules.deadlineMs;
    this.#subscriptions = [...(kept?.subscriptions ?? [])];
    this.#deliveries = [...(kept?.deliveries ?? [])];
    this.#order = Math.max(0, ...this.#deliveries.map(({ order }) => order));
  }

  get subscriptions(): readonly Subscription[] {
    return this.#subscriptions;
  }

  get deliveries(): readonly Delivery[] {
    return this.#deliveries;
  }

  get fault(): (DeliveryFault & { readonly left: number | null }) | undefined {
    const left = Number.isFinite(this.#faultLeft) ? this.#faultLeft : null;
    return this.#fault && { ...this.#fault, left };
  }

  keep(): OutboxState {
    return { subscriptions: this.#subscriptions, deliveries: this.#deliveries };
  }

  /** Goes on with what was waiting when the vendor last ended. */
  resume(): void {
    for (const delivery of this.#deliveries) {
      if (delivery.state === "waiting" && !delivery.isHeld) this.#plan(delivery);
    }
  }

  subscribe(account: string, url: string, topics: readonly string[] | null = null): Subscription {
    const { clock, resolve, changed } = this.#options;
    resolve(url);
    if (this.#subscriptions.length >= SUBSCRIPTIONS_MAX) {
      throw tooMany({ what: "subscription", max: SUBSCRIPTIONS_MAX });
    }
    const subscription: Subscription = {
      id: randomUUID(),
      account,
      url,
      topics,
      createdAt: clock.wall().toISOString(),
      failuresInRow: 0,
      endedAt: null,
      endedBecause: null,
    };
    this.#subscriptions.push(subscription);
    changed();
    return subscription;
  }

  unsubscribe(id: string, because = "unsubscribed"): void {
    const subscription = this.#subscriptions.find((one) => one.id === id);
    if (subscription === undefined) throw unknownThing({ what: "subscription", id });
    this.#end(subscription, because);
  }

  /** One delivery for each subscription of the account that wants the topic. */
  emit({ account, topic, body, facts = {}, isFor = () => true }: Emission): Delivery[] {
    if (this.#fault?.kind === "lost") {
      this.#countFault();
      return [];
    }
    const waiting = this.#deliveries.filter(({ state }) => state === "waiting").length;
    if (waiting >= WAITING_MAX) throw tooMany({ what: "waiting delivery", max: WAITING_MAX });
    const made = this.#subscriptions
      .filter((one) => one.account === account && one.endedAt === null)
      .filter(({ topics }) => topics === null || topics.includes(topic))
      .filter(isFor)
      .map(({ id, url }) => this.#add({ account, topic, body, facts, subscription: id, url }));
    if (this.#fault?.kind !== "reorder") for (const delivery of made) this.#plan(delivery);
    else this.#hold(made);
    this.#forgetOld();
    this.#options.changed();
    return made;
  }

  find(id: string): Delivery {
    const delivery = this.#deliveries.find((one) => one.id === id);
    if (delivery === undefined) throw unknownThing({ what: "delivery", id });
    return delivery;
  }

  /** Sends the same once more, as a vendor does that did not hear the answer. */
  again(id: string): Delivery {
    const delivery = this.find(id);
    if (this.#sending.has(id)) throw vendorRefused({ reason: "It is being sent just now." });
    const subscription = this.#subscriptionOf(delivery);
    if (subscription === undefined || subscription.endedAt !== null) {
      throw vendorRefused({ reason: "Its subscription has ended." });
    }
    Object.assign(delivery, { state: "waiting", failures: 0, isHeld: false });
    delivery.nextAttemptAt = this.#options.clock.now().toISOString();
    this.#plan(delivery);
    return delivery;
  }

  setFault(fault: DeliveryFault | undefined): void {
    this.#fault = fault;
    const usual = fault?.kind === "reorder" ? REORDERED : Number.POSITIVE_INFINITY;
    this.#faultLeft = fault?.times ?? usual;
    if (fault?.kind !== "reorder") this.#release();
  }

  clear(): void {
    this.#subscriptions.length = 0;
    this.#deliveries = [];
    this.setFault(undefined);
    this.deadlineMs = this.#options.rules.deadlineMs;
    this.parallel = 1;
  }

  #add(made: Emission & { subscription: string; url: string }): Delivery {
    const { clock } = this.#options;
    this.#order += 1;
    const delivery: Delivery = {
      id: randomUUID(),
      ...made,
      facts: made.facts ?? {},
      createdAt: clock.wall().toISOString(),
      attempts: [],
      isHeld: false,
      state: "waiting",
      nextAttemptAt: clock.now().toISOString(),
      failures: 0,
      order: this.#order,
    };
    this.#deliveries.push(delivery);
    return delivery;
  }

  #hold(made: readonly Delivery[]): void {
    for (const delivery of made) delivery.isHeld = true;
    this.#faultLeft -= 1;
    if (this.#faultLeft <= 0) this.setFault(undefined);
  }

  #release(): void {
    for (const delivery of this.#deliveries.filter(({ isHeld }) => isHeld).reverse()) {
      delivery.isHeld = false;
      this.#order += 1;
      delivery.order = this.#order;
      this.#plan(delivery);
    }
  }

  #plan({ subscription, nextAttemptAt }: Delivery): void {
    const { clock } = this.#options;
    const at = nextAttemptAt === null ? 0 : Date.parse(nextAttemptAt);
    clock.after(Math.max(0, at - clock.now().getTime()), () => this.#run(subscription));
  }

  /** Sends what is due for one subscription, one after another. */
  async #run(subscription: string): Promise<void> {
    const running = this.#runners.get(subscription) ?? 0;
    if (running >= this.parallel) return;
    this.#runners.set(subscription, running + 1);
    try {
      for (;;) {
        const next = this.#nextOf(subscription);
        if (next === undefined) return;
        this.#sending.add(next.id);
        try {
          await this.#try(next);
        } finally {
          this.#sending.delete(next.id);
        }
      }
    } finally {
      this.#runners.set(subscription, (this.#runners.get(subscription) ?? 1) - 1);
    }
  }

  #nextOf(subscription: string): Delivery | undefined {
    const now = this.#options.clock.now();
    const waiting = this.#deliveries
      .filter((one) => one.subscription === subscription && one.state === "waiting" && !one.isHeld)
      .filter(({ id }) => !this.#sending.has(id))
      .sort((left, right) => left.order - right.order);
    const isDue = ({ nextAttemptAt }: Delivery) => new Date(nextAttemptAt ?? 0) <= now;
    if (!this.#options.rules.holdsBack) return waiting.find(isDue);
    const [first] = waiting;
    return first !== undefined && isDue(first) ? first : undefined;
  }

  async #try(delivery: Delivery): Promise<void> {
    const fault = this.#takeFault();
    const attempt = await this.#attempt(delivery, fault);
    if (fault?.kind === "duplicate") await this.#attempt(delivery, fault);
    this.#settle(delivery, attempt);
    this.#options.changed();
  }

  #takeFault(): DeliveryFault | undefined {
    const fault = this.#fault;
    if (fault === undefined || fault.kind === "reorder" || fault.kind === "lost") return undefined;
    this.#countFault();
    return fault;
  }

  #countFault(): void {
    this.#faultLeft -= 1;
    if (this.#faultLeft <= 0) this.#fault = undefined;
  }

  async #attempt(delivery: Delivery, fault: DeliveryFault | undefined): Promise<Attempt> {
    const { clock, prepare } = this.#options;
    const at = clock.wall().toISOString();
    const kind = fault?.kind;
    const isForged = kind === "wrong-signature" || kind === "no-signature";
    const { headers, body } = prepare(delivery, isForged ? kind : "none");
    const outcome = await this.#post(delivery.url, { headers, body }, fault);
    const { contentType: _, ...told } = outcome;
    const answer = outcome.answer.slice(0, ANSWER_CHARS_MAX);
    const attempt = { at, headers: shownOf(headers), ...told, answer, fault: kind ?? null };
    delivery.attempts.push(attempt);
    if (delivery.attempts.length > ATTEMPTS_SHOWN_MAX) delivery.attempts.shift();
    return attempt;
  }

  async #post(url: string, prepared: Prepared, fault: DeliveryFault | undefined): Promise<Outcome> {
    const { kind, delayMs = SLOW_MS } = fault ?? {};
    const halfway = kind === "cut" ? kind : kind === "slow" ? { pauseMs: delayMs } : undefined;
    const { deadlineMs } = this;
    let address: string;
    try {
      address = this.#options.resolve(url);
    } catch {
      return unanswered("out-of-reach");
    }
    return await send({ url: address, ...prepared, deadlineMs, ...(halfway && { halfway }) });
  }

  #settle(delivery: Delivery, attempt: Attempt): void {
    const { rules, clock } = this.#options;
    const subscription = this.#subscriptionOf(delivery);
    if (subscription === undefined || delivery.state === "dropped") return;
    subscription.failuresInRow = isSuccess(attempt) ? 0 : subscription.failuresInRow + 1;
    const verdict = judge(rules, attempt);
    const waitSeconds = rules.retryDelaysSeconds[delivery.failures];
    if (verdict === "retry") delivery.failures += 1;
    if (verdict === "retry" && waitSeconds !== undefined) {
      const waitMs = rules.askedWaitMs?.(attempt) ?? waitSeconds * 1_000;
      delivery.nextAttemptAt = new Date(clock.now().getTime() + waitMs).toISOString();
      this.#plan(delivery);
      return;
    }
    delivery.state = verdict === "delivered" ? "delivered" : "failed";
    delivery.nextAttemptAt = null;
    this.#options.onSettled?.(delivery);
    const { failuresInRowMax = Number.POSITIVE_INFINITY } = rules;
    if (verdict === "end-subscription") this.#end(subscription, `answered ${attempt.status}`);
    else if (verdict === "retry" && subscription.failuresInRow >= failuresInRowMax) {
      this.#end(subscription, `${subscription.failuresInRow} failures in a row`);
    }
  }

  #end(subscription: Subscription, because: string): void {
    subscription.endedAt = this.#options.clock.wall().toISOString();
    subscription.endedBecause = because;
    for (const delivery of this.#deliveries) {
      if (delivery.subscription !== subscription.id || delivery.state !== "waiting") continue;
      delivery.state = "dropped";
      delivery.nextAttemptAt = null;
    }
    this.#options.changed();
  }

  #subscriptionOf({ subscription }: Delivery): Subscription | undefined {
    return this.#subscriptions.find(({ id }) => id === subscription);
  }

  #forgetOld(): void {
    const settled = this.#deliveries.filter(({ state }) => state !== "waiting");
    if (settled.length <= SETTLED_MAX) return;
    const old = new Set(settled.slice(0, settled.length - SETTLED_MAX));
    this.#deliveries = this.#deliveries.filter((delivery) => !old.has(delivery));
  }
}

/** A key signs its holder in, so it is not shown to whoever reads what a vendor sent. */
function shownOf(headers: Attempt["headers"]): Attempt["headers"] {
  const shown = Object.entries(headers).map(([name, value]) => [name, isKey(name) ? "…" : value]);
  return Object.fromEntries(shown);
}

const isKey = (name: string): boolean => name.toLowerCase() === "x-api-key";
