/** One right with its two names. */
export type Scope = {
  /** The name in API keys, such as `Pass.Read`. */
  readonly name: string;
  /** The name in bearer tokens, such as `tenant.pass:read`. */
  readonly bearer: string;
  /** One sentence for people who select scopes for a key. */
  readonly meaning: string;
};

/** Names are a public contract: add new ones, but never rename or remove one. */
export const SCOPES = [
  {
    name: "Pass.Read",
    bearer: "tenant.pass:read",
    meaning: "Read passes, their privileges and their history.",
  },
  {
    name: "Pass.Write",
    bearer: "tenant.pass:write",
    meaning: "Issue, change and erase passes and move the value of their privileges.",
  },
  { name: "PassScan.Read", bearer: "tenant.scan:read", meaning: "Read what was scanned." },
  {
    name: "PassScan.Scan",
    bearer: "tenant.scan:write",
    meaning: "Scan passes and redeem their privileges.",
  },
  {
    name: "Receipt.Read",
    bearer: "tenant.receipt:read",
    meaning: "Read receipts, what was bought included.",
  },
  {
    name: "Receipt.Write",
    bearer: "tenant.receipt:write",
    meaning: "Record purchases and refunds as receipts, and erase receipts.",
  },
  { name: "Device.Read", bearer: "tenant.device:read", meaning: "Read the scanning devices." },
  {
    name: "Device.Write",
    bearer: "tenant.device:write",
    meaning: "Register, connect, change and remove scanning devices.",
  },
  {
    name: "Scheduler.History",
    bearer: "tenant.scheduler:read",
    meaning: "Read the scheduled tasks and how their runs went.",
  },
  { name: "Scheduler.Run", bearer: "tenant.scheduler:write", meaning: "Run a scheduled task now." },
  {
    name: "Sftp.Read",
    bearer: "tenant.sftp:read",
    meaning: "Read the state of the file drop and the logs of its imports.",
  },
  {
    name: "Secret.Read",
    bearer: "tenant.secret:read",
    meaning: "Read the tenant's secrets, values included.",
  },
  {
    name: "Secret.Write",
    bearer: "tenant.secret:write",
    meaning: "Store, replace and delete the tenant's secrets.",
  },
  {
    name: "ApiKey.Read",
    bearer: "tenant.apikey:read",
    meaning: "List the API keys, never their tokens.",
  },
  {
    name: "ApiKey.Write",
    bearer: "tenant.apikey:write",
    meaning: "Create, change and revoke API keys, within one's own rights.",
  },
  {
    name: "Webhook.Read",
    bearer: "tenant.webhook:read",
    meaning: "Read webhook subscriptions, their deliveries and the events.",
  },
  {
    name: "Webhook.Write",
    bearer: "tenant.webhook:write",
    meaning: "Create, change, test and delete webhook subscriptions.",
  },
  {
    name: "TenantConfiguration.Read",
    bearer: "tenant.configuration:read",
    meaning: "Download the tenant's configuration and its history.",
  },
  {
    name: "TenantConfiguration.Write",
    bearer: "tenant.configuration:write",
    meaning: "Publish and roll back the tenant's configuration.",
  },
  { name: "Customer.Read", bearer: "tenant.customer:read", meaning: "Read customers." },
  {
    name: "Customer.Write",
    bearer: "tenant.customer:write",
    meaning: "Create, change and erase customers.",
  },
  {
    name: "Extension.Read",
    bearer: "tenant.extension:read",
    meaning: "Read the settings of extensions.",
  },
  {
    name: "Extension.Write",
    bearer: "tenant.extension:write",
    meaning: "Change the settings of extensions.",
  },
  {
    name: "Extension.Journey",
    bearer: "tenant.extension:journey",
    meaning: "Act on passes as a step of a customer journey.",
  },
  {
    name: "BotCheck.Verify",
    bearer: "tenant.botcheck:verify",
    meaning: "Ask whether a form was sent by a person.",
  },
  {
    name: "Enrolment.Read",
    bearer: "tenant.enrolment:read",
    meaning: "Read the links to enrolment forms and how often they are used.",
  },
  {
    name: "Enrolment.Write",
    bearer: "tenant.enrolment:write",
    meaning: "Create, change and delete links to enrolment forms.",
  },
  {
    name: "Audit.Read",
    bearer: "tenant.audit:read",
    meaning: "Read who changed what, when and from where.",
  },
] as const satisfies readonly Scope[];

/** No API key can have this scope, because an API key belongs to one tenant. */
export const PLATFORM_SCOPE_MEANING =
  "Act on what belongs to no tenant: the tenants themselves, administrators, OAuth clients and the audit of the installation. Needs the role Global Administrator.";

export type ScopeName = (typeof SCOPES)[number]["name"];

export const SCOPE_NAMES: readonly ScopeName[] = SCOPES.map(({ name }) => name);

export const BEARER_SCOPE_NAMES: ReadonlyMap<string, string> = new Map(
  SCOPES.map(({ name, bearer }) => [name, bearer]),
);
const nameByBearer = new Map<string, ScopeName>(SCOPES.map(({ name, bearer }) => [bearer, name]));

/** Converts `Pass.Read` to `tenant.pass:read`; undefined if the name is not a scope. */
export function toBearerScope(name: string): string | undefined {
  return BEARER_SCOPE_NAMES.get(name);
}

/** Converts `tenant.pass:read` to `Pass.Read`; undefined if the text is not a scope. */
export function fromBearerScope(bearer: string): ScopeName | undefined {
  return nameByBearer.get(bearer);
}

/** Sorts scopes in the order of the catalogue, so that equal sets are equal lists. */
export function inCatalogueOrder(names: Iterable<string>): ScopeName[] {
  const wanted = new Set(names);
  return SCOPE_NAMES.filter((name) => wanted.has(name));
}
