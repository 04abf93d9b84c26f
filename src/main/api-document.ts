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
    name: "job",
    title: "Jobs",
    description: "What was accepted and goes on in the background: how far it is, and stopping it.",
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
    name: "scan",
    title: "Scans",
    description:
      "Codes that were read at a door or a till: whose pass it is, and what was decided.",
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
    name: "oauth-client",
    title: "OAuth clients",
    description: "Programs that get bearer tokens for the people who sign in through them.",
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
    problems: walletProblems,
  };
}
