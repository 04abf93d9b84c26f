const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 10_000;

type Window = { count: number; readonly endsAt: number };

/** Counts events per address and minute, in the memory of this node only. */
export class AddressCounter {
  readonly #windows = new Map<string, Window>();
  readonly #limit: number;
  readonly #now: () => number;
  readonly #groupOf: (address: string) => string;

  /** `now` returns monotonic milliseconds; `groupOf` names what counts as one address. */
  constructor(limitPerMinute: number, now: () => number, groupOf = addressGroup) {
    this.#limit = limitPerMinute;
    this.#now = now;
    this.#groupOf = groupOf;
  }

  get limit(): number {
    return this.#limit;
  }

  get windowSeconds(): number {
    return WINDOW_MS / 1_000;
  }

  record(address: string): void {
    const group = this.#groupOf(address);
    const open = this.#open(group);
    if (open !== undefined) {
      open.count += 1;
      return;
    }
    this.#windows.delete(group);
    const oldest =
      this.#windows.size < ADDRESSES_MAX ? undefined : this.#windows.keys().next().value;
    if (oldest !== undefined) this.#windows.delete(oldest);
    this.#windows.set(group, { count: 1, endsAt: this.#now() + WINDOW_MS });
  }

  /** Undoes one `record` of this minute, for an event that turned out not to count. */
  takeBack(address: string): void {
    const open = this.#open(this.#groupOf(address));
    if (open !== undefined) open.count = Math.max(0, open.count - 1);
  }

  isExhausted(address: string): boolean {
    return (this.#open(this.#groupOf(address))?.count ?? 0) >= this.#limit;
  }

  /** At least one second: with zero, a caller would come back before the minute has ended. */
  secondsLeft(address: string): number {
    const endsAt = this.#open(this.#groupOf(address))?.endsAt ?? this.#now();
    return Math.max(1, Math.ceil((endsAt - this.#now()) / 1_000));
  }

  #open(group: string): Window | undefined {
    const window = this.#windows.get(group);
    return window !== undefined && window.endsAt > this.#now() ? window : undefined;
  }
}

/** Groups IPv6 addresses by 64 bits, because one subscriber has 2^64 addresses. */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [plain = ""] = address.split("%", 1);
  const [head = "", tail] = plain.split("::", 2);
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  const network = [...left, ...zeros, ...right].slice(0, 4);
  return `${network.map((part) => Number.parseInt(part, 16).toString(16)).join(":")}::/64`;
}

/**
 * The network that an address belongs to: 24 bits of IPv4, 48 bits of IPv6. Whoever rents a server
 * often gets one of them as a whole.
 */
export function networkGroup(address: string): string {
  const group = addressGroup(address);
  if (!group.includes(":")) return `${group.split(".").slice(0, 3).join(".")}.0/24`;
  return `${group.split(":").slice(0, 3).join(":")}::/48`;
}
