import { randomUUID } from "node:crypto";
import type { Log } from "#kernel/log.ts";
import type { Reach } from "../reach.client.ts";
import type { CallbackSigner } from "./callback.signer.ts";
import { issuerOf } from "./google.resources.ts";
import type { GoogleStore } from "./google.store.ts";

/** One callback as the simulator shows it. */
export type CallbackEntry = {
  readonly at: string;
  readonly objectId: string;
  readonly eventType: "save" | "del";
  readonly attempt: number;
  /** The status of the answer; undefined if there was none. */
  readonly status: number | undefined;
};

/** Google tries for longer; a simulator whose product is down for minutes is not watched. */
const RETRY_MS = [1_000, 5_000, 30_000, 120_000];
const MESSAGE_MS = 3_600_000;
const LOG_MAX = 200;
const WAITING_MAX = 10_000;

type Options = {
  readonly reach: Reach;
  readonly signer: CallbackSigner;
  readonly store: GoogleStore;
  readonly log: Log;
};

/** Tells issuers, at the address that the class names, that phones saved or deleted objects. */
export class Callbacks {
  readonly #options: Options;
  readonly #entries: CallbackEntry[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(options: Options) {
    this.#options = options;
  }

  get entries(): readonly CallbackEntry[] {
    return this.#entries.toReversed();
  }

  /** Sends in the background: a phone does not wait for the issuer. */
  tell(objectId: string, eventType: "save" | "del"): void {
    const { store, signer } = this.#options;
    const classId = String(store.find(objectId)?.value.classId);
    const options = store.find(classId)?.value.callbackOptions as { url?: unknown } | undefined;
    const url = options?.url;
    const issuerId = issuerOf(objectId);
    if (typeof url !== "string" || issuerId === undefined) return;
    const now = Date.now();
    const nonce = randomUUID();
    const expTimeMillis = now + MESSAGE_MS;
    const message = { classId, objectId, eventType, expTimeMillis, count: 1, nonce };
    const body = signer.sign(message, issuerId, now);
    void this.#send({ url, body, objectId, eventType }, 1);
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  async #send(
    sent: { url: string; body: string; objectId: string; eventType: "save" | "del" },
    attempt: number,
  ): Promise<void> {
    const { reach, log } = this.#options;
    const { url, body, objectId, eventType } = sent;
    let status: number | undefined;
    try {
      const headers = { "content-type": "application/json", "user-agent": "Googlebot" };
      ({ status } = await reach.call(url, { method: "POST", headers, body }));
    } catch (error) {
      log.debug({ err: error, objectId }, "a simulated callback of Google did not arrive");
    }
    this.#entries.push({ at: new Date().toISOString(), objectId, eventType, attempt, status });
    if (this.#entries.length > LOG_MAX) this.#entries.shift();
    if (status !== undefined && status >= 200 && status < 300) return;
    const delay = RETRY_MS[attempt - 1];
    if (delay === undefined || this.#timers.size >= WAITING_MAX) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#send(sent, attempt + 1);
    }, delay).unref();
    this.#timers.add(timer);
  }
}
