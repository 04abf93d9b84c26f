import { randomBytes, randomUUID } from "node:crypto";
import { ControlTable } from "../frame/control.ts";
import { addServer } from "../frame/server.control.ts";
import { vendorRefused } from "../frame/vendor.errors.ts";
import { type VendorAnswer, type VendorRequest, VendorServer } from "../frame/vendor.server.ts";
import { Shelf, type Vendor, type VendorTools } from "../frame/vendor.ts";
import { RULES, TEST_SITES, type TestSite } from "./siteverify.rules.ts";
import { type Check, SiteCreate, TokenCreate } from "./siteverify.schema.ts";

type Site = {
  readonly check: Check;
  readonly siteKey: string;
  readonly secret: string;
  readonly hostname: string;
};

type Token = {
  readonly token: string;
  readonly siteKey: string;
  readonly hostname: string;
  readonly action: string;
  readonly cdata: string;
  readonly score: number;
  readonly isSolved: boolean;
  readonly challengedAt: string;
  /** By the time of the vendors, which can be moved. */
  readonly expiresAt: string;
  isSpent: boolean;
  /** The answer that was given for a key of repetition, which Turnstile gives again. */
  repeatable: { readonly key: string; readonly answer: object } | null;
};

type Kept = {
  readonly sites: readonly (readonly [string, Site])[];
  readonly tokens: readonly (readonly [string, Token])[];
  readonly port: number;
};

type Input = Readonly<Record<string, string>>;

const TOKEN_CHARS_MAX = 2_048;
const TOKENS_MAX = 50_000;

/** Turnstile, hCaptcha and reCAPTCHA: one address each, on one socket. */
export class Siteverify implements Vendor {
  readonly name = "siteverify";
  readonly control = new ControlTable();
  readonly server: VendorServer;
  readonly sites: Shelf<Site>;
  readonly tokens: Shelf<Token>;
  readonly #tools: VendorTools;

  constructor(tools: VendorTools) {
    this.#tools = tools;
    const kept = tools.kept as Kept | undefined;
    this.sites = new Shelf("site", 200, kept?.sites);
    this.tokens = new Shelf("token", TOKENS_MAX, kept?.tokens);
    const answer = (request: VendorRequest) => this.#answer(request);
    this.server = new VendorServer({ clock: tools.clock, answer, port: kept?.port });
    this.#addControl();
  }

  get url(): string {
    return this.server.url;
  }

  /** Where one of the services is asked. */
  verifyUrl(check: Check): string {
    return `${this.url}${RULES[check].path}`;
  }

  open(): Promise<void> {
    return this.server.open();
  }

  close(): Promise<void> {
    return this.server.close();
  }

  keep(): Kept {
    return {
      sites: this.sites.entries(),
      tokens: this.tokens.entries(),
      port: this.server.port,
    };
  }

  async reset(): Promise<void> {
    this.sites.clear();
    this.tokens.clear();
    this.server.forget();
    await this.server.setFault(undefined);
  }

  createSite(wish: SiteCreate): Site & { readonly verifyUrl: string } {
    const { check, hostname = "localhost" } = wish;
    const siteKey = wish.siteKey ?? randomUUID();
    const secret = wish.secret ?? `0x${randomBytes(20).toString("hex")}`;
    const taken = this.sites.all.find((site) => site.secret === secret);
    if (taken !== undefined && taken.siteKey !== siteKey) {
      throw vendorRefused({ reason: "Another site has this secret." });
    }
    const site = this.sites.put(siteKey, { check, siteKey, secret, hostname });
    this.#tools.changed();
    return { ...site, verifyUrl: this.verifyUrl(check) };
  }

  /** What the widget on a page gives a visitor. */
  issueToken(wish: TokenCreate): string {
    const site = this.sites.get(wish.siteKey);
    const { clock } = this.#tools;
    const lastsMs = RULES[site.check].tokenSeconds * 1_000;
    const token = `0.${randomBytes(48).toString("base64url")}`;
    this.tokens.put(token, {
      token,
      siteKey: site.siteKey,
      hostname: wish.hostname ?? site.hostname,
      action: wish.action ?? "",
      cdata: wish.cdata ?? "",
      score: wish.score ?? 0.9,
      isSolved: wish.solved ?? true,
      challengedAt: clock.wall().toISOString(),
      expiresAt: new Date(clock.now().getTime() + lastsMs).toISOString(),
      isSpent: false,
      repeatable: null,
    });
    this.#tools.changed();
    return token;
  }

  #answer({ method, path, headers, body }: VendorRequest): VendorAnswer {
    const checks = (Object.keys(RULES) as Check[]).filter((check) => RULES[check].path === path);
    const [first] = checks;
    if (first === undefined) return { status: 404, body: "Not Found" };
    if (method !== "POST") return { status: 405, body: "Method Not Allowed" };
    const input = readInput(headers["content-type"] ?? "", body, RULES[first].takesJson);
    if (input === undefined) return failed("bad-request");
    const answer = this.#verify(checks, input);
    this.#tools.changed();
    return answer;
  }

  #verify(checks: readonly Check[], { secret, response, ...rest }: Input): VendorAnswer {
    if (!secret) return failed("missing-input-secret");
    const site = this.sites.all.find((one) => one.secret === secret && checks.includes(one.check));
    const test = TEST_SITES.find((one) => one.secret === secret && checks.includes(one.check));
    if (site === undefined && test === undefined) return failed("invalid-input-secret");
    if (!response) return failed("missing-input-response");
    if (response.length > TOKEN_CHARS_MAX) return failed("invalid-input-response");
    if (site === undefined) return this.#verifyTest(test as TestSite, response);
    const { sitekey, idempotency_key: key } = rest;
    if (sitekey !== undefined && site.check === "hcaptcha" && sitekey !== site.siteKey) {
      return failed("sitekey-secret-mismatch");
    }
    const token = this.tokens.find(response);
    if (token === undefined || token.siteKey !== site.siteKey) {
      return failed("invalid-input-response");
    }
    return this.#spend(site, token, site.check === "turnstile" ? key : undefined);
  }

  #spend(site: Site, token: Token, key: string | undefined): VendorAnswer {
    const { spent, expired } = RULES[site.check];
    if (key !== undefined && token.repeatable?.key === key) {
      return { status: 200, body: token.repeatable.answer };
    }
    if (token.isSpent) return failed(spent);
    token.isSpent = true;
    if (this.#tools.clock.now() >= new Date(token.expiresAt)) return failed(expired);
    if (!token.isSolved) return failed("invalid-input-response");
    const answer = success(site.check, token);
    token.repeatable = key === undefined ? null : { key, answer };
    return { status: 200, body: answer };
  }

  #verifyTest({ check, token, outcome }: TestSite, response: string): VendorAnswer {
    if (outcome === "spent") return failed("timeout-or-duplicate");
    if (outcome === "fail") return failed("invalid-input-response");
    if (token !== undefined && token !== response) {
      return failed(check === "hcaptcha" ? "not-using-dummy-passcode" : "invalid-input-response");
    }
    const challengedAt = this.#tools.clock.wall().toISOString();
    // The hostnames that the services give for their test keys.
    const hostnames = { turnstile: "example.com", hcaptcha: "dummy-key-pass" } as const;
    const hostname = hostnames[check as keyof typeof hostnames] ?? "testkey.google.com";
    const about = { hostname, challengedAt, action: "", cdata: "", score: 0.9 };
    return { status: 200, body: success(check, about) };
  }

  #addControl(): void {
    const { control } = this;
    control.get("", () => ({
      addresses: Object.fromEntries(
        (Object.keys(RULES) as Check[]).map((check) => [check, this.verifyUrl(check)]),
      ),
      sites: this.sites.all.map(({ secret: _, ...site }) => site),
      testSites: TEST_SITES,
    }));
    control.post("/sites", SiteCreate, (body) => this.createSite(body));
    control.post("/tokens", TokenCreate, (body) => ({ token: this.issueToken(body) }));
    addServer(control, this.server);
  }
}

type About = Pick<Token, "hostname" | "challengedAt" | "action" | "cdata" | "score">;

function success(check: Check, { hostname, challengedAt, action, cdata, score }: About): object {
  const common = { success: true, challenge_ts: challengedAt, hostname };
  switch (check) {
    case "turnstile":
      return { ...common, "error-codes": [], action, cdata };
    case "hcaptcha":
      return { ...common, credit: false };
    case "recaptcha-v2":
      return common;
    case "recaptcha-v3":
      return { ...common, score, action };
  }
}

function failed(code: string): VendorAnswer {
  return { status: 200, body: { success: false, "error-codes": [code] } };
}

/** The members of the body; undefined if it cannot be read in the way that its type says. */
function readInput(type: string, body: Buffer, takesJson: boolean): Input | undefined {
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(body.toString()));
  }
  if (!takesJson || !type.startsWith("application/json")) return {};
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value !== "object" || value === null) return undefined;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]));
  } catch {
    return undefined;
  }
}
