const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 10_000;

type Window = { count: number; readonly endsAt: number };

/** Counts by the address something came from, a minute at a time: in memory, bounded, per node. */
export class AddressCounter {
  readonly #windows = new Map<string, Window>();
  readonly #limit: number;
  readonly #now: () => number;

  /** `now` gives monotonic milliseconds. */
  constructor(limitPerMinute: number, now: () => number) {
    this.#limit = limitPerMinute;
    this.#now = now;
  }

  get limit(): number {
    return this.#limit;
  }

  get windowSeconds(): number {
    return WINDOW_MS / 1_000;
  }

  record(address: string): void {
    const group = addressGroup(address);
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

  isExhausted(address: string): boolean {
    return (this.#open(addressGroup(address))?.count ?? 0) >= this.#limit;
  }

  /** At least one: a caller told to come back in zero seconds comes back too early. */
  secondsLeft(address: string): number {
    const endsAt = this.#open(addressGroup(address))?.endsAt ?? this.#now();
    return Math.max(1, Math.ceil((endsAt - this.#now()) / 1_000));
  }

  #open(group: string): Window | undefined {
    const window = this.#windows.get(group);
    return window !== undefined && window.endsAt > this.#now() ? window : undefined;
  }
}

/** One subscriber is given 2^64 addresses of IPv6: what they share is what counts. */
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
