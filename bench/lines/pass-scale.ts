import { randomBytes } from "node:crypto";
import { encodeCursor } from "#kernel/http/lists/list-cursor.ts";
import { parseListQuery } from "#kernel/http/lists/list-query.ts";
import { PASS_LIST } from "#src/passes/lists/pass-list.repository.ts";
import { type FilterWords, listWords } from "#test/support/list-words.ts";
import { type Loaded, loadedAt, loadedId, loadPasses } from "#test/support/pass-rows.ts";
import type { Bench } from "../support/bench.ts";
import { defineLine, type Line, type Sample } from "../support/line.ts";
import { preparePassTenant } from "../support/pass-tenant.ts";
import { scaled } from "../support/scale.ts";

const FEW = 10_000;
const MANY = scaled(1_000_000, FEW);
const ROUND_MS = 1_000;

type Tenant = { readonly url: string; readonly key: string; readonly loaded: Loaded };
type Stage = { readonly few: Tenant; readonly many: Tenant };
type Ask = {
  readonly path: string;
  readonly body?: string;
  /** Passes unless it says otherwise. */
  readonly resource?: "scans";
};

let stage: Promise<Stage> | undefined;

function openStage(bench: Bench): Promise<Stage> {
  stage ??= (async () => {
    const product = await bench.product();
    const open = async (tenantId: string, count: number): Promise<Tenant> => {
      const key = await preparePassTenant(product, tenantId);
      const loaded = await loadPasses(bench.connection, tenantId, count);
      return { url: `${product.url}/api/${tenantId}`, key, loaded };
    };
    return { many: await open("many", MANY), few: await open("few", FEW) };
  })();
  return stage;
}

/** The middle one of the times that single requests take, one after the other. */
async function timeOf({ url, key, loaded }: Tenant, ask: (loaded: Loaded) => Ask): Promise<Sample> {
  const times: number[] = [];
  const until = performance.now() + ROUND_MS;
  while (performance.now() < until) {
    const { path, body, resource = "passes" } = ask(loaded);
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const startedAt = performance.now();
    const answer = await fetch(`${url}/${resource}${path}`, {
      headers,
      ...(body === undefined ? {} : { method: "POST", body }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    times.push(performance.now() - startedAt);
    if (!answer.ok || text === "[]") throw new Error(`${path}: ${answer.status} ${text}`);
  }
  times.sort((a, b) => a - b);
  return { time: times[Math.floor(times.length / 2)] ?? 0 };
}

function any({ count }: Loaded): number {
  return Math.floor(Math.random() * count);
}

function list(words: Record<string, string>): Ask {
  return { path: `?${new URLSearchParams(words)}` };
}

/** Only looked up: what is recorded afterwards is the same for every tenant. */
function scan(data: string): Ask {
  const body = JSON.stringify({ data, type: "qrcode", dryRun: true });
  return { resource: "scans", path: "", body };
}

function filtered(...filter: FilterWords): Record<string, string> {
  return listWords([filter]);
}

function sorted(field: string, direction = "ASC"): Record<string, string> {
  return listWords([], [[field, direction]]);
}

function cursorAt(loaded: Loaded): string {
  const parsed = parseListQuery({}, PASS_LIST);
  if (!parsed.ok) throw new Error("The list has no order of its own.");
  // Page 40,000 of 20 each; in the small tenant as deep as it goes.
  const place = Math.min(800_000, Math.floor(loaded.count * 0.8));
  return encodeCursor(parsed.list, PASS_LIST, [loadedId(loaded, loaded.count - place)]);
}

/** Of the family that came last: a number that nobody else's begins with. */
function lastFamily({ count }: Loaded): number {
  return Math.ceil(count / 20) - 1;
}

/** What this share of all md5 sums is below. */
function lowestShare(share: number): string {
  return Math.round(share * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}

function yearsLater(date: Date, years: number): Date {
  const later = new Date(date);
  later.setUTCFullYear(date.getUTCFullYear() + years);
  return later;
}

const ASKS: Record<string, (loaded: Loaded) => Ask> = {
  create: () => {
    const number = randomBytes(8).toString("hex");
    const identifiers = { "loyalty.number": number, "crm.id": number };
    const additionalData = { firstName: `Name${number}`, points: 12, tier: "Deck" };
    return { path: "?passType=loyalty", body: JSON.stringify({ identifiers, additionalData }) };
  },
  "get by id": (loaded) => ({ path: `/${loadedId(loaded, any(loaded))}` }),
  "get by identifier": (loaded) =>
    list(filtered("identifiers.crm.id", "equals", `C-${any(loaded)}`)),
  "scan of a code": (loaded) => scan(loadedId(loaded, any(loaded))),
  "scan of an identifier": (loaded) => scan(`C-${any(loaded)}`),
  "scan of an unknown code": () => scan(randomBytes(12).toString("hex")),
  "first page": () => list({}),
  "page 40,000 by cursor": (loaded) => list({ cursor: cursorAt(loaded) }),
  "filter by type": () => list(filtered("passType", "equals", "coupon")),
  "filter by status": () => list(filtered("status", "equals", "disabled")),
  "filter by a common value": () => list(filtered("additionalData.tier", "equals", "Bridge")),
  "filter by a rare value": (loaded) =>
    list(
      filtered(
        "additionalData.lastName",
        "equals",
        `Family${any(loaded) % Math.ceil(loaded.count / 20)}`,
      ),
    ),
  "filter by the beginning of a value": (loaded) =>
    list(filtered("additionalData.lastName", "startsWith", `Family${lastFamily(loaded)}`)),
  "filter by a common beginning": () =>
    list(filtered("additionalData.lastName", "startsWith", "Fam")),
  // Differs for each pass, so as many are asked for in either tenant.
  "filter by a narrow range of values": ({ count }) =>
    list(filtered("metadata.segment", "lessThan", lowestShare(500 / (count / 2)))),
  "filter by a wide range of values": () =>
    list(filtered("additionalData.points", "greaterThan", "500")),
  "filter by the beginning of an identifier": ({ count }) =>
    list(filtered("identifiers.crm.id", "startsWith", `C-${count - 77}`)),
  "filter by wallet": () => list(filtered("apple", "equals", "installed")),
  "filter by expiry": (loaded) =>
    list(
      filtered("expirationDate", "lessThan", yearsLater(loadedAt(loaded, 500), 2).toISOString()),
    ),
  "range of creationDate": (loaded) =>
    list({
      ...filtered(
        "creationDate",
        "greaterThan",
        loadedAt(loaded, loaded.count - 500).toISOString(),
      ),
      ...sorted("creationDate"),
    }),
};

const SORTED = [
  "passType",
  "status",
  "lastUpdateDate",
  "expirationDate",
  "installationStatus",
  "apple",
  "google",
  "identifiers.crm.id",
  "additionalData.lastName",
  "additionalData.points",
  "metadata.segment",
];

for (const field of SORTED) {
  for (const direction of ["ASC", "DESC"]) {
    ASKS[`sort by ${field} ${direction}`] = () => list(sorted(field, direction));
  }
}

Object.assign(ASKS, {
  "filter and sort by one value": () =>
    list({
      ...filtered("additionalData.points", "greaterThan", "900"),
      ...sorted("additionalData.points"),
    }),
  "filter and sort by one identifier": () =>
    list({
      ...filtered("identifiers.crm.id", "startsWith", "C-9"),
      ...sorted("identifiers.crm.id", "DESC"),
    }),
  "filter by a rare value, sort by another": (loaded: Loaded) =>
    list({
      ...filtered("additionalData.lastName", "equals", `Family${lastFamily(loaded)}`),
      ...sorted("additionalData.points"),
    }),
  "filter by a common value, sort by another": () =>
    list({
      ...filtered("additionalData.tier", "equals", "Deck"),
      ...sorted("additionalData.lastName"),
    }),
  "filter by creationDate, sort by a value": (loaded: Loaded) =>
    list({
      ...filtered(
        "creationDate",
        "greaterThan",
        loadedAt(loaded, loaded.count - 500).toISOString(),
      ),
      ...sorted("additionalData.points", "DESC"),
    }),
});

/** Each with a million passes in the tenant, against itself with ten thousand. */
export const passScale: readonly Line[] = Object.entries(ASKS).map(([name, ask]) =>
  defineLine({
    name: `a million passes: ${name}`,
    measures: { time: { unit: "ms", bar: { of: "ratio", below: 1.5 } } },
    rounds: 5,
    async prepare(bench) {
      const { few, many } = await openStage(bench);
      return {
        ours: () => timeOf(many, ask),
        baselines: { "10,000 passes": () => timeOf(few, ask) },
      };
    },
  }),
);
