import type { TokenBook } from "../apns/apns.answers.ts";
import { makePhone, type Phone, type PhoneKind } from "./phone.state.ts";

export const PHONES_MAX = 50;
const GONE_MAX = 10_000;

/** The phones that there are, and the push tokens of those that are no more. */
export class Phones implements TokenBook {
  #phones: readonly Phone[];
  readonly #gone: Map<string, number>;
  readonly #bad = new Set<string>();

  constructor(phones: readonly Phone[], goneTokens: readonly (readonly [string, number])[]) {
    this.#phones = phones;
    this.#gone = new Map(goneTokens);
  }

  get all(): readonly Phone[] {
    return this.#phones;
  }

  get goneTokens(): readonly (readonly [string, number])[] {
    return [...this.#gone];
  }

  find(id: string): Phone | undefined {
    return this.#phones.find((phone) => phone.id === id);
  }

  /** Undefined if there are as many as there may be. */
  add(kind: PhoneKind, name: string, language: string): Phone | undefined {
    if (this.#phones.length >= PHONES_MAX) return undefined;
    const phone = makePhone(kind, name, language);
    this.#phones = [...this.#phones, phone];
    return phone;
  }

  remove(phone: Phone): void {
    this.#phones = this.#phones.filter(({ id }) => id !== phone.id);
    if (phone.kind === "iphone") this.markGone(phone.pushToken);
  }

  /** From now on Apple answers that no device has this token any more. */
  markGone(token: string): void {
    this.#gone.set(token, Date.now());
    const [oldest] = this.#gone.keys();
    if (this.#gone.size > GONE_MAX && oldest !== undefined) this.#gone.delete(oldest);
  }

  /** From now on Apple answers that this never was a token. */
  markBad(token: string): void {
    if (this.#bad.size < GONE_MAX) this.#bad.add(token);
  }

  clear(): void {
    for (const phone of this.#phones) this.remove(phone);
    this.#bad.clear();
  }

  isBad(token: string): boolean {
    return this.#bad.has(token);
  }

  goneAt(token: string): number | undefined {
    return this.#gone.get(token);
  }

  /** The names of the files that phones hold. */
  bundles(): Set<string> {
    return new Set(
      this.#phones.flatMap((phone) =>
        phone.kind === "iphone" ? phone.passes.map(({ bundle }) => bundle) : [],
      ),
    );
  }
}
