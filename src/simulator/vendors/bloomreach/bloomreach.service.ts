import { randomBytes, randomUUID } from "node:crypto";
import { ControlTable } from "../frame/control.ts";
import { addServer } from "../frame/server.control.ts";
import { unknownThing } from "../frame/vendor.errors.ts";
import { type VendorAnswer, type VendorRequest, VendorServer } from "../frame/vendor.server.ts";
import { Shelf, type Vendor, type VendorTools } from "../frame/vendor.ts";
import { answerCall, type Call, failed } from "./bloomreach.api.ts";
import { type Customer, newCustomer, setProperties } from "./bloomreach.customers.ts";
import type { Project } from "./bloomreach.project.ts";
import { CustomerPut, ProjectCreate } from "./bloomreach.schema.ts";

/** One command that arrived and was taken, in the order of arrival. */
export type Arrival = {
  readonly at: string;
  readonly project: string;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
};

type Kept = {
  readonly projects: readonly (readonly [string, Project])[];
  readonly arrivals: readonly Arrival[];
  readonly port: number;
};

const CUSTOMERS_MAX = 20_000;
const ARRIVALS_MAX = 20_000;
const REQUESTS_PER_MINUTE = 6_000;
const PATH = /^\/(track|data)\/v2\/projects\/([^/]+)\/(.+)$/;

/** The customer data API of Bloomreach Engagement, with projects and what arrived in them. */
export class Bloomreach implements Vendor {
  readonly name = "bloomreach";
  readonly control = new ControlTable();
  readonly server: VendorServer;
  readonly projects: Shelf<Project>;
  readonly arrivals: Arrival[];
  readonly #tools: VendorTools;

  constructor(tools: VendorTools) {
    this.#tools = tools;
    const kept = tools.kept as Kept | undefined;
    this.projects = new Shelf("project", 50, kept?.projects);
    this.arrivals = [...(kept?.arrivals ?? [])];
    const answer = (request: VendorRequest) => this.#answer(request);
    this.server = new VendorServer({ clock: tools.clock, answer, port: kept?.port });
    this.#addControl();
  }

  /** The `baseUrl` of a connector. */
  get url(): string {
    return this.server.url;
  }

  open(): Promise<void> {
    return this.server.open();
  }

  close(): Promise<void> {
    return this.server.close();
  }

  keep(): Kept {
    const { arrivals, server } = this;
    return { projects: this.projects.entries(), arrivals, port: server.port };
  }

  async reset(): Promise<void> {
    this.projects.clear();
    this.arrivals.length = 0;
    this.server.forget();
    await this.server.setFault(undefined);
  }

  createProject(wish: ProjectCreate = {}): Project {
    const token = wish.token ?? randomUUID();
    const project = this.projects.put(token, {
      token,
      apiKeyId: wish.apiKeyId ?? randomBytes(16).toString("hex"),
      apiKeySecret: wish.apiKeySecret ?? randomBytes(24).toString("hex"),
      categories: wish.categories ?? ["newsletter"],
      requestsPerMinute: wish.requestsPerMinute ?? REQUESTS_PER_MINUTE,
      forbiddenEvents: wish.forbiddenEvents ?? [],
      forbiddenAttributes: wish.forbiddenAttributes ?? [],
      mayExport: wish.mayExport ?? true,
      customers: this.projects.find(token)?.customers ?? [],
      dropped: 0,
      counted: { minute: 0, requests: 0 },
    });
    this.#tools.changed();
    return project;
  }

  /** Makes or changes a customer, as other sources of the project do. */
  putCustomer({ project, customer_ids, ...values }: CustomerPut): Customer {
    const { customers } = this.projects.pick(project);
    const customer = findOrAdd(customers, customer_ids) ?? newCustomer(customer_ids);
    setProperties(customer, values.properties ?? {}, this.#seconds());
    customer.computed = { ...customer.computed, ...values.computed };
    customer.consents = { ...customer.consents, ...values.consents };
    this.#tools.changed();
    return customer;
  }

  /** The customer of a project who has one of these ids. */
  customer({ project, customer_ids }: Pick<CustomerPut, "project" | "customer_ids">): Customer {
    const customer = find(this.projects.pick(project).customers, customer_ids);
    if (customer !== undefined) return customer;
    throw unknownThing({ what: "customer", id: Object.values(customer_ids).join() });
  }

  /** What was tracked, in the order of arrival. */
  events(project?: string): readonly Arrival["data"][] {
    return this.arrivals
      .filter((one) => one.name === "customers/events" && one.project === (project ?? one.project))
      .map(({ data }) => data);
  }

  #answer(request: VendorRequest): VendorAnswer {
    const [, area, token = "", name = ""] = PATH.exec(request.path) ?? [];
    if (area === undefined) return { status: 404, body: "<h1>Not found</h1>", headers: HTML };
    const project = this.projects.find(token);
    const refusal = refuse(request, project, area);
    if (refusal !== undefined || project === undefined) return refusal ?? failed(400, "");
    if (!this.#isWithinLimit(project)) {
      project.dropped += 1;
      this.#tools.changed();
      return failed(429, "Rate limit exceeded");
    }
    const data = readJson(request.body);
    const operation = `${request.method} ${area} ${name}`;
    if (request.method === "POST" && data === undefined) return failed(400, "Invalid JSON");
    const call: Call = {
      project,
      seconds: this.#seconds(),
      customerOf: (ids) => findOrAdd(project.customers, ids),
      knownCustomerOf: (ids) => find(project.customers, ids),
      arrived: (command, sent) => this.#note(project, command, sent),
    };
    const answer = answerCall(operation, data ?? {}, call);
    this.#tools.changed();
    return answer;
  }

  #isWithinLimit(project: Project): boolean {
    const minute = Math.floor(this.#tools.clock.now().getTime() / 60_000);
    const { counted } = project;
    if (counted.minute !== minute) Object.assign(counted, { minute, requests: 0 });
    counted.requests += 1;
    return counted.requests <= project.requestsPerMinute;
  }

  #note({ token }: Project, name: string, data: Arrival["data"]): void {
    this.arrivals.push({ at: this.#tools.clock.stamp(), project: token, name, data });
    if (this.arrivals.length > ARRIVALS_MAX) this.arrivals.shift();
  }

  #seconds(): number {
    return this.#tools.clock.wall().getTime() / 1_000;
  }

  #addControl(): void {
    const { control } = this;
    control.get("", () => ({
      url: this.url,
      projects: this.projects.all.map(({ apiKeySecret: _, customers, ...project }) => {
        return { ...project, customers: customers.length };
      }),
    }));
    control.post("/projects", ProjectCreate, (body) => {
      const { customers: _, ...project } = this.createProject(body);
      return { ...project, baseUrl: this.url };
    });
    control.put("/customers", CustomerPut, (body) => this.putCustomer(body));
    control.get("/customers", ({ query }) => {
      const { customers } = this.projects.pick(query.get("project") ?? undefined);
      return { customers: customers.slice(-500) };
    });
    control.get("/arrivals", ({ query }) => {
      const name = query.get("name");
      const found = this.arrivals.filter((one) => (name ?? one.name) === one.name);
      return { arrivals: found.slice(-1_000) };
    });
    addServer(control, this.server);
  }
}

const HTML = { "content-type": "text/html" };

/** The errors of keys and projects, in the order in which the API finds them. */
function refuse(
  { headers }: VendorRequest,
  project: Project | undefined,
  area: string,
): VendorAnswer | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/.exec(headers.authorization ?? "") ?? [];
  const [id, ...rest] = Buffer.from(encoded ?? "", "base64")
    .toString()
    .split(":");
  if (encoded === undefined || rest.length === 0) return failed(401, "Access key not provided");
  if (project === undefined) {
    return failed(400, area === "track" ? "Could not authenticate" : "Invalid project id");
  }
  if (id !== project.apiKeyId) return failed(401, "Access key not found");
  return rest.join(":") === project.apiKeySecret ? undefined : failed(403, "invalid secret");
}

function readJson(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function find(customers: readonly Customer[], ids: unknown): Customer | undefined {
  const given = idsOf(ids);
  return customers.find((one) => given.some(([name, id]) => one.ids[name] === id));
}

/** Undefined if there is no id that can be used, or no room. */
function findOrAdd(customers: Customer[], ids: unknown): Customer | undefined {
  const given = idsOf(ids);
  if (given.length === 0) return undefined;
  const known = find(customers, ids);
  if (known !== undefined) {
    known.ids = { ...known.ids, ...Object.fromEntries(given) };
    return known;
  }
  if (customers.length >= CUSTOMERS_MAX) return undefined;
  const customer = newCustomer(Object.fromEntries(given));
  customers.push(customer);
  return customer;
}

function idsOf(ids: unknown): [string, string][] {
  if (typeof ids !== "object" || ids === null) return [];
  return Object.entries(ids).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
  );
}
