/** A page as a person's browser has it in front of them. */
export type Page = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Public address of the page, after all redirects within the product. */
  readonly url: string;
};

const REDIRECTS_MAX = 10;
const TIMEOUT_MS = 90_000;

/**
 * A browser without script: keeps cookies, follows redirects, submits forms. It knows the product
 * by its public address (`baseUrl`), as if a proxy stood between, and reaches it at `url`.
 */
export class Browser {
  readonly #baseUrl: string;
  readonly #url: string;
  readonly #cookies = new Map<string, { value: string; path: string; httpOnly: boolean }>();
  readonly #address: string | undefined;
  readonly setCookies: string[] = [];

  /** With `address`, requests come as if a proxy had forwarded them from there. */
  constructor(options: { baseUrl: string; url: string; address?: string | undefined }) {
    this.#baseUrl = options.baseUrl;
    this.#url = options.url;
    this.#address = options.address;
  }

  /** The same person's browser, now talking to another node. */
  at(url: string): Browser {
    return this.#copy(url, this.#address);
  }

  /** The same person's browser, now at another IP address. */
  from(address: string): Browser {
    return this.#copy(this.#url, address);
  }

  #copy(url: string, address: string | undefined): Browser {
    const other = new Browser({ baseUrl: this.#baseUrl, url, address });
    for (const [name, cookie] of this.#cookies) other.#cookies.set(name, cookie);
    return other;
  }

  /** As if another program had written the cookie into this browser. */
  setCookie(name: string, value: string, path = "/"): void {
    this.#cookies.set(name, { value, path, httpOnly: true });
  }

  /** For a browser with script that goes on as the same person. */
  get cookies(): { name: string; value: string; url: string; httpOnly: boolean }[] {
    return [...this.#cookies].map(([name, { value, path, httpOnly }]) => ({
      name,
      value,
      url: new URL(path, this.#baseUrl).href,
      httpOnly,
    }));
  }

  /** Stops at redirects that leave for `stopAt`, such as a client's callback. */
  open(address: string, stopAt?: string): Promise<Page> {
    return this.#follow(new URL(address, this.#baseUrl), {}, stopAt);
  }

  /** Fills the page's form in; fields not named keep what the page put there. */
  submit(page: Page, fields: Record<string, string>, stopAt?: string): Promise<Page> {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined) throw new Error(`There is no form at ${page.url}.`);
    const sent = new URLSearchParams();
    for (const [tag] of page.text.matchAll(/<input[^>]*>/g)) {
      const name = / name="([^"]*)"/.exec(tag)?.[1];
      if (name !== undefined) sent.set(name, plainText(/ value="([^"]*)"/.exec(tag)?.[1] ?? ""));
    }
    for (const [name, value] of Object.entries(fields)) sent.set(name, value);
    return this.#follow(
      new URL(plainText(action), page.url),
      { method: "POST", body: sent, headers: { origin: new URL(page.url).origin } },
      stopAt,
    );
  }

  async #follow(from: URL, init: RequestInit, stopAt: string | undefined): Promise<Page> {
    let address = from;
    let request = init;
    for (let count = 0; count < REDIRECTS_MAX; count += 1) {
      const response = await this.#send(address, request);
      const to = response.headers.get("location");
      if (to === null || response.status < 300 || response.status > 399) {
        const text = await response.text();
        return { status: response.status, headers: response.headers, text, url: address.href };
      }
      await response.body?.cancel();
      address = new URL(to, address);
      request = {};
      if (stopAt !== undefined && address.href.startsWith(stopAt)) {
        return { status: response.status, headers: response.headers, text: "", url: address.href };
      }
    }
    throw new Error("The redirects do not end.");
  }

  async #send(address: URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    const cookies = [...this.#cookies]
      .filter(([, { path }]) => address.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`);
    if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
    if (this.#address !== undefined) headers.set("x-forwarded-for", this.#address);
    if (!address.href.startsWith(this.#baseUrl)) throw new Error(`${address} is somewhere else.`);
    const response = await fetch(this.#url + address.href.slice(this.#baseUrl.length), {
      ...init,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    return response;
  }

  #keep(cookie: string): void {
    this.setCookies.push(cookie);
    const [pair = "", ...attributes] = cookie.split(";");
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const path = /^\s*path=(.*)$/i.exec(attributes.find((part) => /^\s*path=/i.test(part)) ?? "");
    const httpOnly = attributes.some((part) => /^\s*httponly$/i.test(part));
    if (value === "") this.#cookies.delete(name);
    else this.#cookies.set(name, { value, path: path?.[1] ?? "/", httpOnly });
  }
}

function plainText(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
