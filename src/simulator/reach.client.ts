/** An answer of the product, read whole. */
export type Reached = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
};

export type ReachRequest = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** The virtual phones and Google's side can reach the product and nothing else. */
export class OutOfReach extends Error {
  constructor(url: string) {
    super(`${url} is not an address of this service, and virtual phones reach no other.`);
    this.name = "OutOfReach";
  }
}

/**
 * Calls the product by its public address, over a socket. Other addresses are refused: whoever may
 * use the simulator must not be able to make this machine call others.
 */
export class Reach {
  readonly #baseUrl: string;
  /** Where the product really listens; undefined until that is known, or in another process. */
  #local: string | undefined;
  readonly #ending = new AbortController();

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /**
   * Spares the way through the proxy in front, which the machine itself often cannot go; the port
   * is only known when the product listens.
   */
  listensAt(local: string): void {
    this.#local = local;
  }

  /** The address as this process calls it. */
  resolve(url: string): string {
    const rest = [this.#baseUrl, this.#local]
      .filter((base) => base !== undefined)
      .map((base) => pathBelow(url, base))
      .find((path) => path !== undefined);
    if (rest === undefined) throw new OutOfReach(url);
    return `${this.#local ?? this.#baseUrl}${rest}`;
  }

  async call(url: string, { method = "GET", headers = {}, body }: ReachRequest = {}) {
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#ending.signal]);
    const response = await fetch(this.resolve(url), {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: await readWhole(response),
    } satisfies Reached;
  }

  close(): void {
    this.#ending.abort();
  }
}

/** The rest of an address after its base; undefined if it does not begin with that. */
function pathBelow(url: string, base: string): string | undefined {
  if (!url.startsWith(base)) return undefined;
  const rest = url.slice(base.length);
  return rest === "" || /^[/?]/.test(rest) ? rest : undefined;
}

async function readWhole(response: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > ANSWER_BYTES_MAX) throw new Error("The answer is larger than a phone would take.");
    parts.push(part);
  }
  return Buffer.concat(parts);
}
