import { setTimeout as sleep } from "node:timers/promises";
import type { AuthContext, Connection } from "ssh2";
import { messageOf } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import {
  isUnavailable,
  type Login,
  loginByKey,
  loginByPassword,
  type OfferedKey,
} from "./login.service.ts";
import { ATTEMPTS_PER_CONNECTION_MAX, FAILURE_MS, KEY_FAILURE_MS } from "./server.limits.ts";

type Method = "password" | "publickey";
const METHODS: Method[] = ["publickey", "password"];

export type SignInHost = {
  readonly runtime: Runtime;
  /** Counts a failure of the address. */
  onFailure(): void;
  /** Nobody can sign in now, so this connection is not to be counted. */
  excuse(): void;
  /** Ends the connection. */
  giveUp(): void;
  /** Ends the connection without a word. */
  breakOff(): void;
  isClosed(): boolean;
};

/**
 * Signing in on one connection. The answer to a failure and its time are the same for an unknown
 * tenant, a tenant without a file drop, a wrong password, a wrong key, and a check that broke.
 */
export class SignIn {
  readonly #host: SignInHost;
  #attempts = 0;
  #hasFailedKey = false;
  /** The failures that were counted. */
  failures = 0;
  login: Login | undefined;

  constructor(host: SignInHost) {
    this.#host = host;
  }

  listen(client: Connection): void {
    client.on("authentication", (asked) => {
      if (this.#attempts === 0 && asked.method === "keyboard-interactive") {
        // The library would then take answers to questions that nobody asked, and set aside as much
        // memory as they claim to need. To throw keeps it from reading on.
        this.#host.breakOff();
        throw new Error("answers before there are questions");
      }
      this.#answer(asked).catch((error: unknown) => {
        // Nothing of it may escape: it would end the process.
        this.#host.runtime.log.error({ reason: messageOf(error) }, "sftp: signing in broke");
        this.#host.breakOff();
      });
    });
  }

  async #answer(asked: AuthContext): Promise<void> {
    this.#attempts += 1;
    if (this.#attempts > ATTEMPTS_PER_CONNECTION_MAX) {
      this.#host.giveUp();
      return;
    }
    // Clients begin with this to learn the methods.
    if (asked.method === "none") {
      asked.reject(METHODS);
      return;
    }
    const askedAt = performance.now();
    const isTrial = asked.method === "publickey" && asked.signature === undefined;
    const checked = await this.#check(asked).catch((error: unknown) => this.#broken(error));
    if (this.#host.isClosed()) return;
    if (checked === undefined || checked === "unavailable") {
      await this.#refuse(asked, askedAt, checked === undefined);
    } else {
      if (!isTrial) this.login = checked;
      asked.accept();
    }
  }

  /** Nobody learns anything from guesses while there is nothing to check them with. */
  #broken(error: unknown): "unavailable" | undefined {
    const { log } = this.#host.runtime;
    log.error({ reason: messageOf(error) }, "sftp: a sign-in could not be checked");
    return isUnavailable(error) ? "unavailable" : undefined;
  }

  async #check(asked: AuthContext): Promise<Login | undefined> {
    const { runtime } = this.#host;
    if (asked.method === "password") {
      // Somebody who asks for another password at once sends two of them.
      const { password } = asked as { readonly password: unknown };
      if (typeof password !== "string") return undefined;
      return await loginByPassword(runtime, asked.username, password);
    }
    if (asked.method !== "publickey") return undefined;
    const { key, blob, signature, hashAlgo } = asked;
    const proof =
      signature === undefined || blob === undefined ? undefined : { signed: blob, signature };
    const offered: OfferedKey = {
      algorithm: key.algo,
      publicKey: key.data,
      hash: hashAlgo,
      proof,
    };
    return await loginByKey(runtime, asked.username, offered);
  }

  async #refuse(asked: AuthContext, askedAt: number, isCounted: boolean): Promise<void> {
    const isKey = asked.method === "publickey";
    if (!isCounted) this.#host.excuse();
    // A client tries all keys that it has: together they are one failure.
    else if (!isKey || !this.#hasFailedKey) {
      this.failures += 1;
      this.#host.onFailure();
    }
    this.#hasFailedKey ||= isKey;
    // A check that took longer is answered at the next full step, which tells little about it.
    const stepMs = isKey ? KEY_FAILURE_MS : FAILURE_MS;
    await sleep(stepMs - ((performance.now() - askedAt) % stepMs));
    if (!this.#host.isClosed()) asked.reject(METHODS);
  }
}
