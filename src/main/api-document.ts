import { PLATFORM_SCOPE } from "#kernel/actor.ts";
import type { EventDefinition } from "#kernel/events/define.ts";
import {
  buildOpenApi,
  buildOpenApiInSteps,
  type DocumentedTag,
  type OpenApiDocument,
  type OpenApiOptions,
  type OpenApiSteps,
} from "#kernel/http/openapi/build.ts";
import type { TokenSource } from "#kernel/http/openapi/security.ts";
import type { Route } from "#kernel/http/route.ts";
import { PLATFORM_SCOPE_MEANING, SCOPES } from "#src/api-keys/public.ts";
import { connectorChapters } from "#src/extensions/public.ts";
import { passIdentifiersDiffer } from "#src/passes/public.ts";
import { walletProblems } from "#src/wallets/public.ts";
import { version } from "./version.ts";

/** The chapters of the API reference, in reading order. */
const TAGS: readonly DocumentedTag[] = [
  {
    name: "tenant",
    title: "Tenants",
    description: "Isolated workspaces, one per brand, region or programme, each made of files.",
  },
  {
    name: "pass",
    title: "Passes",
    description: "What people carry in their wallets, known to other systems by identifiers.",
  },
  {
    name: "pass-type",
    title: "Pass types",
    description: "The kinds of pass that a tenant can create, and what each of them asks for.",
  },
  {
    name: "privilege",
    title: "Privileges",
    description: "What a pass entitles its holder to, and how much of it is left.",
  },
  {
    name: "movement",
    title: "Movements",
    description: "The ledger of a privilege: every change of its value, kept and never rewritten.",
  },
  {
    name: "content",
    title: "Content",
    description: "What a pass says to its holder, in each language.",
  },
  {
    name: "customer",
    title: "Customers",
    description: "The people behind the passes, linked to them by identifiers.",
  },
  {
    name: "enrolment-link",
    title: "Enrolment links",
    description:
      "Links to the forms by which people get a pass themselves, for posters and tills, and how often they are used.",
  },
  {
    name: "job",
    title: "Jobs",
    description: "What was accepted and goes on in the background: how far it is, and stopping it.",
  },
  {
    name: "import",
    title: "Imports",
    description: "Files of rows that become passes: how far each is, and what became of every row.",
  },
  {
    name: "sftp",
    title: "File drop",
    description:
      "The file drop: how to reach it over SFTP, which files came, and what became of them.",
  },
  {
    name: "store",
    title: "Stores",
    description: "Where a tenant can be visited, as its file server/stores.yml says.",
  },
  {
    name: "device",
    title: "Devices",
    description: "What scans passes at doors and tills, each with settings and a key of its own.",
  },
  {
    name: "pairing",
    title: "Pairing",
    description: "Codes by which a device gets its key without anybody typing it.",
  },
  {
    name: "task",
    title: "Scheduled tasks",
    description: "What is done at set times, by `server/schedule.yml`.",
  },
  {
    name: "execution",
    title: "Executions",
    description: "Runs of scheduled tasks: what each did, its log and its file.",
  },
  {
    name: "scan",
    title: "Scans",
    description:
      "Codes that were read at a door or a till: whose pass it is, and what was decided.",
  },
  {
    name: "receipt",
    title: "Receipts",
    description:
      "Purchases as their customers may see them again, each with a public page and a link on the pass.",
  },
  {
    name: "gate-list",
    title: "Gate list",
    description: "Signed decisions about all passes, for scanning without a network.",
  },
  {
    name: "gate-key",
    title: "Keys of gate lists",
    description: "The public keys that prove a gate list.",
  },
  {
    name: "secret",
    title: "Secrets",
    description: "Passwords, keys and certificates of a tenant, encrypted where they are stored.",
  },
  {
    name: "wallet",
    title: "Wallets",
    description: "Whether passes can be made for each wallet, and what stands in the way.",
  },
  {
    name: "apple-certificate",
    title: "Apple certificate",
    description: "What signs passes for Apple Wallet: requested, checked, stored and renewed.",
  },
  {
    name: "apple-bundle-link",
    title: "Apple links for several passes",
    description: "Links that put several passes into Apple Wallet at once.",
  },
  {
    name: "google-account",
    title: "Google account",
    description: "Who acts for a tenant at Google Wallet: checked, stored and tried out.",
  },
  {
    name: "google-class",
    title: "Google classes",
    description: "What all passes of a type have in common at Google Wallet.",
  },
  {
    name: "google-token",
    title: "Google save links",
    description: "Signed links that put a pass into Google Wallet.",
  },
  {
    name: "api-key",
    title: "API keys",
    description: "Keys by which programs authenticate, limited to scopes.",
  },
  {
    name: "administrator",
    title: "Administrators",
    description: "People who sign in: of the whole installation, or of named tenants.",
  },
  {
    name: "me",
    title: "Who am I",
    description: "Whose credential a request carries, and what it may be used for.",
  },
  {
    name: "oauth-client",
    title: "OAuth clients",
    description: "Programs that get bearer tokens for the people who sign in through them.",
  },
  {
    name: "extension",
    title: "Extensions",
    description: "Connectors to other systems: which there are, and how they do.",
  },
  ...connectorChapters,
  {
    name: "journey",
    title: "Journeys",
    description: "Steps of customer journeys at marketing vendors, which act on passes.",
  },
  {
    name: "inbox",
    title: "Inbox",
    description: "What connected vendors have sent: verified, done in order, and once more.",
  },
  {
    name: "refused-event",
    title: "Refused events",
    description: "Events that a connected vendor refused: why, and sending them again.",
  },
  {
    name: "webhook",
    title: "Webhooks",
    description: "Endpoints of yours that are told what happens in a tenant, signed and in detail.",
  },
  {
    name: "delivery",
    title: "Deliveries",
    description: "What was sent to a webhook: every attempt, what it was answered, and once more.",
  },
  {
    name: "preview",
    title: "Previews",
    description: "What both wallets would get, also by files that are not published yet.",
  },
  {
    name: "numbers",
    title: "Numbers",
    description: "How much happened in a tenant, by the hour or the day.",
  },
  { name: "audit", title: "Audit", description: "Who changed what, when and from where." },
  { name: "service", title: "Service", description: "Whether the service is well." },
  {
    name: "openapi",
    title: "API description",
    description: "The machine-readable description of this API.",
  },
  {
    name: "event",
    title: "Events",
    description: "What happens in a tenant, as it is delivered to subscribed endpoints.",
  },
];

export type ApiDocumentParts = {
  readonly routes: readonly Route[];
  readonly events: readonly EventDefinition[];
  readonly baseUrl?: string;
  readonly tokenSource?: TokenSource;
};

/** The public contract of this version of the product. */
export function buildApiDocument(parts: ApiDocumentParts): OpenApiDocument {
  return buildOpenApi(optionsOf(parts));
}

export function buildApiDocumentInSteps(parts: ApiDocumentParts): OpenApiSteps {
  return buildOpenApiInSteps(optionsOf(parts));
}

function optionsOf(parts: ApiDocumentParts): OpenApiOptions {
  const scopes = SCOPES.map(({ name, bearer, meaning }) => ({
    scope: name,
    bearer,
    description: meaning,
  }));
  const platform = {
    scope: PLATFORM_SCOPE,
    bearer: PLATFORM_SCOPE,
    description: PLATFORM_SCOPE_MEANING,
  };
  return {
    ...parts,
    productVersion: version,
    scopes: [...scopes, platform],
    tags: TAGS,
    problems: [...walletProblems, passIdentifiersDiffer],
  };
}
