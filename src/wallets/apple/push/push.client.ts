import { perRuntime } from "#kernel/per-runtime.ts";
import type { ApplePushService } from "../../wallet.services.ts";
import type { PushForm } from "../apple.push-form.ts";
import { type PushAnswer, readAnswer } from "./push.answer.ts";
import { PushPool } from "./push-pool.client.ts";
import {
  type Asker,
  NotProcessed,
  type PushSession,
  type RawHeaders,
} from "./push-session.client.ts";

/** Who pushes: the certificate of a pass type is the client's certificate. */
export type PushSender = {
  readonly isDevelopment: boolean;
  readonly passTypeIdentifier: string;
  readonly certificatePem: string;
  readonly intermediatesPem: readonly string[];
  readonly keyPem: string;
  /** Changes with the certificate. */
  readonly fingerprint: string;
};

export type Push = {
  readonly pushToken: string;
  /** Until when Apple keeps the push for a device that is switched off: seconds since 1970. */
  readonly expiration: string;
  readonly form: PushForm;
};

/** The push service did not answer, although it was tried several times. */
export class PushUnreachable extends Error {
  override readonly name = "PushUnreachable";
}

/** Requests that the service may have seen. */
const TRIES_MAX = 3;
/** Requests that waited for a connection which then ended: a service that restarts ends many. */
const UNPROCESSED_MAX = 20;
/** More certificates than tenants that push at the same time; the longest unused goes first. */
const POOLS_MAX = 500;
/**
 * A device that was switched off gets one push for all that changed meanwhile. One id is enough: Apple keeps pushes
 * by device and pass type.
 */
const COLLAPSE_ID = "passes";
/** The content is in the pass, which the device fetches. */
const BODY = Buffer.from("{}");

/**
 * Apple's push service by HTTP/2. Connections stay open and are used by all pushes with the same
 * certificate: Apple takes many new connections for an attack.
 */
export class PushClient {
  /** In the order of their last use. */
  readonly #pools = new Map<string, PushPool>();
  /** That of the push before, because those of a batch come one after the other. */
  #last:
    | { readonly service: ApplePushService; readonly sender: PushSender; readonly pool: PushPool }
    | undefined;
  #isClosed = false;

  /**
   * Tells one device. A request whose connection broke is sent again on a new one, also if Apple may
   * have seen it: a second push does no harm, and a lost one does.
   */
  push(
    service: ApplePushService,
    sender: PushSender,
    push: Push,
    signal: AbortSignal,
  ): Promise<PushAnswer> {
    const headers = [
      ":method",
      "POST",
      ":scheme",
      "https",
      ":authority",
      service.url.slice("https://".length),
      ":path",
      `/3/device/${push.pushToken}`,
      "apns-topic",
      sender.passTypeIdentifier,
      "apns-push-type",
      push.form.type,
      "apns-priority",
      String(push.form.priority),
      "apns-expiration",
      push.expiration,
      "apns-collapse-id",
      COLLAPSE_ID,
    ];
    return new Promise((resolve, reject) => {
      const poolNow = () => this.#poolOf(service, sender);
      new Errand(headers, poolNow, signal, resolve, reject).go();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const pool of this.#pools.values()) pool.close();
    this.#pools.clear();
    this.#last = undefined;
  }

  #poolOf(service: ApplePushService, sender: PushSender): PushPool {
    if (this.#isClosed) throw new PushUnreachable("The process stops.");
    const { url, authority } = service;
    const last = this.#last;
    if (last?.sender === sender && isSame(last.service, service)) return last.pool;
    const key = `${url} ${sender.fingerprint} ${authority ?? ""}`;
    const pool =
      this.#pools.get(key) ??
      new PushPool({
        url,
        ca: authority,
        cert: [sender.certificatePem, ...sender.intermediatesPem].join("\n"),
        key: sender.keyPem,
      });
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    const [oldest] = this.#pools;
    if (this.#pools.size > POOLS_MAX && oldest !== undefined) {
      this.#pools.delete(oldest[0]);
      oldest[1].close();
    }
    this.#last = { service, sender, pool };
    return pool;
  }
}

/** One push until its answer, or until it was tried often enough. */
class Errand implements Asker {
  readonly #headers: RawHeaders;
  readonly #poolNow: () => PushPool;
  readonly #signal: AbortSignal;
  readonly #resolve: (answer: PushAnswer) => void;
  readonly #reject: (error: unknown) => void;
  #pool: PushPool | undefined;
  #session: PushSession | undefined;
  #tries = 0;
  #unprocessed = 0;

  constructor(
    headers: RawHeaders,
    poolNow: () => PushPool,
    signal: AbortSignal,
    resolve: (answer: PushAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#headers = headers;
    this.#poolNow = poolNow;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  go(): void {
    try {
      this.#pool = this.#poolNow();
      this.#session = this.#pool.pick();
    } catch (error) {
      this.#reject(error);
      return;
    }
    this.#session.request(this.#headers, BODY, this.#signal, this);
  }

  answered(status: number, body: string): void {
    this.#resolve(readAnswer(status, body));
  }

  failed(error: unknown): void {
    if (this.#signal.aborted) {
      this.#reject(this.#signal.reason);
      return;
    }
    if (error instanceof NotProcessed) this.#unprocessed += 1;
    else this.#tries += 1;
    const isTooMuch = this.#tries === TRIES_MAX || this.#unprocessed === UNPROCESSED_MAX;
    const isNobodyThere = this.#session?.hasNeverConnected && !this.#pool?.isConnected;
    if (isTooMuch || isNobodyThere) {
      this.#reject(new PushUnreachable("The push service did not answer.", { cause: error }));
    } else queueMicrotask(() => this.go());
  }
}

function isSame(left: ApplePushService, right: ApplePushService): boolean {
  return left.url === right.url && left.authority === right.authority;
}

export const pushClientOf = perRuntime(() => new PushClient());
