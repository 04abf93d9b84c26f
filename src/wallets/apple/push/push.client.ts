import { perRuntime } from "#kernel/per-runtime.ts";
import type { ApplePushService } from "../../wallet.services.ts";
import { type PushAnswer, readAnswer } from "./push.answer.ts";
import { NotProcessed, PushSession } from "./push-session.client.ts";

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
  /** Until when Apple keeps the push for a device that is switched off. */
  readonly expiresAt: Date;
};

/** The push service did not answer, although it was tried several times. */
export class PushUnreachable extends Error {
  override readonly name = "PushUnreachable";
}

/** Requests that the service may have seen. */
const TRIES_MAX = 3;
/** Requests that waited for a connection which then ended: a service that restarts ends many. */
const UNPROCESSED_MAX = 20;
/** More connections than tenants that push at the same time; the longest unused is closed first. */
const SESSIONS_MAX = 500;

/**
 * Apple's push service by HTTP/2. Connections stay open and are used by all pushes with the same
 * certificate: Apple takes many new connections for an attack.
 */
export class PushClient {
  /** In the order of their last use. */
  readonly #sessions = new Map<string, PushSession>();
  #isClosed = false;

  /**
   * Tells one device. A request whose connection broke is sent again on a new one, also if Apple may
   * have seen it: a second push does no harm, and a lost one does.
   */
  async push(
    service: ApplePushService,
    sender: PushSender,
    push: Push,
    signal: AbortSignal,
  ): Promise<PushAnswer> {
    const headers = {
      ":method": "POST",
      ":path": `/3/device/${push.pushToken}`,
      "apns-topic": sender.passTypeIdentifier,
      "apns-push-type": "background",
      "apns-priority": "5",
      "apns-expiration": String(Math.floor(push.expiresAt.getTime() / 1_000)),
    };
    for (let [tries, unprocessed] = [0, 0]; ; ) {
      signal.throwIfAborted();
      const session = this.#sessionOf(service, sender);
      try {
        const { status, body } = await session.request(headers, "{}", signal);
        return readAnswer(status, body);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof NotProcessed) unprocessed += 1;
        else tries += 1;
        const isTooMuch = tries === TRIES_MAX || unprocessed === UNPROCESSED_MAX;
        if (isTooMuch || session.hasNeverConnected) {
          throw new PushUnreachable("The push service did not answer.", { cause: error });
        }
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  #sessionOf(service: ApplePushService, sender: PushSender): PushSession {
    if (this.#isClosed) throw new PushUnreachable("The process stops.");
    const key = `${service.url} ${sender.fingerprint}`;
    const known = this.#sessions.get(key);
    this.#sessions.delete(key);
    const session =
      known?.isUsable === true
        ? known
        : new PushSession({
            url: service.url,
            ca: service.authority,
            cert: [sender.certificatePem, ...sender.intermediatesPem].join("\n"),
            key: sender.keyPem,
          });
    this.#sessions.set(key, session);
    const [oldest] = this.#sessions;
    if (this.#sessions.size > SESSIONS_MAX && oldest !== undefined) {
      this.#sessions.delete(oldest[0]);
      oldest[1].close();
    }
    return session;
  }
}

export const pushClientOf = perRuntime(() => new PushClient());
