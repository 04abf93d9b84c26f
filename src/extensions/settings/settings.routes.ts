import Type from "typebox";
import type { ProblemKind } from "#kernel/errors.ts";
import { problemKinds } from "#kernel/http/problem.ts";
import { answer, defineRoute, type Route } from "#kernel/http/route.ts";
import {
  configurationChangedMeanwhile,
  configurationInvalid,
  TenantParams,
} from "#src/tenants/public.ts";
import { connectors, findConnector } from "../connectors.ts";
import { rotateAddress } from "../inbox/address.service.ts";
import { type Connector, hasAddress } from "../kit/connector.ts";
import {
  extensionNotConfigured,
  extensionTakesNoDeliveries,
  extensionUnknown,
} from "./settings.errors.ts";
import {
  bodyOf,
  ExtensionParams,
  ExtensionSummary,
  ExtensionTest,
  ROTATED_EXAMPLE,
  RotatedAddress,
  replyExampleOf,
  replyOf,
  SUMMARY_EXAMPLE,
} from "./settings.schema.ts";
import {
  deleteExtension,
  getExtension,
  listExtensions,
  putExtension,
  testExtension,
} from "./settings.service.ts";

const PUBLISHED: readonly ProblemKind[] = [configurationInvalid, configurationChangedMeanwhile];
/** Each is checked like a publication, and may ask the vendor. */
const WRITES = { limit: 60, windowSeconds: 60 };

/** The settings of one connector, with the members of its own file. */
function settingsRoutes(connector: Connector): Route[] {
  const { name, title, file, check } = connector;
  const url = `/api/:tenantId/admin/extensions/${name}` as const;
  const tried =
    check === undefined ? "" : ` They are tried at ${title} first; nothing is saved if that fails.`;
  return [
    defineRoute({
      op: `${name}.get`,
      method: "GET",
      url,
      scope: "Extension.Read",
      summary: `Read the settings of ${title}`,
      description: `As \`${file.path}\` has them, and whether its secrets are stored.`,
      params: TenantParams,
      reply: replyOf(connector),
      replyHeaders: ["ETag"],
      // Secrets and addresses change without a new version of the configuration.
      answersNotModified: false,
      noStore: true,
      errors: [extensionNotConfigured],
      example: { reply: replyExampleOf(connector) },
      async handle(context) {
        const { shown, version } = await getExtension(context, connector);
        return answer(shown, { version });
      },
    }),
    defineRoute({
      op: `${name}.put`,
      method: "PUT",
      url,
      scope: "Extension.Write",
      summary: `Save the settings of ${title}`,
      description: `As a new version of the configuration, in \`${file.path}\`.${tried} A secret that is left out, or null, stays as it is.`,
      params: TenantParams,
      body: bodyOf(connector),
      errors: [...PUBLISHED, problemKinds.preconditionFailed],
      rateLimit: WRITES,
      example: { body: connector.example },
      async handle(context, { body }) {
        await putExtension(context, connector, body);
      },
    }),
    defineRoute({
      op: `${name}.delete`,
      method: "DELETE",
      url,
      scope: "Extension.Write",
      summary: `Remove ${title}`,
      description: `Its settings leave the configuration with a new version, and its secrets are deleted. What it has done stays; whom its vendor was still to erase is forgotten.`,
      params: TenantParams,
      errors: [extensionNotConfigured, ...PUBLISHED, problemKinds.preconditionFailed],
      rateLimit: WRITES,
      async handle(context) {
        await deleteExtension(context, connector);
      },
    }),
  ];
}

export function requireConnector(name: string): Connector {
  const connector = findConnector(name);
  if (connector === undefined) throw extensionUnknown({ connector: name });
  return connector;
}

/** A connector whose vendor sends deliveries. */
export function requireInbox(name: string): Connector {
  const connector = requireConnector(name);
  if (connector.inbound === undefined) throw extensionTakesNoDeliveries(connector);
  return connector;
}

/** A connector whose vendor was given an address. */
function requireAddress(name: string): Connector {
  const connector = requireConnector(name);
  if (!hasAddress(connector)) throw extensionTakesNoDeliveries(connector);
  return connector;
}

const extensionList = defineRoute({
  op: "extension.list",
  method: "GET",
  url: "/api/:tenantId/admin/extensions",
  scope: "Extension.Read",
  summary: "List the connectors and how they do",
  description: "All that there are, configured or not.",
  params: TenantParams,
  reply: Type.Array(ExtensionSummary),
  noStore: true,
  example: { reply: [SUMMARY_EXAMPLE] },
  handle: (context) => listExtensions(context),
});

const extensionTest = defineRoute({
  op: "extension.test",
  method: "POST",
  url: "/api/:tenantId/admin/extensions/:connector/test",
  scope: "Extension.Write",
  summary: "Try out a connector",
  description:
    "With the settings and secrets that are stored: 200 also when the vendor refuses them. Changes nothing.",
  params: ExtensionParams,
  reply: ExtensionTest,
  errors: [extensionUnknown, extensionNotConfigured],
  rateLimit: { limit: 30, windowSeconds: 60 },
  inSteps: true,
  example: { reply: { ok: false, errors: { apiKeySecret: ["was refused"] } } },
  handle: (context, { params }) => testExtension(context, requireConnector(params.connector)),
});

const extensionRotate = defineRoute({
  op: "extension.rotate",
  method: "POST",
  url: "/api/:tenantId/admin/extensions/:connector/inbox/rotate",
  scope: "Extension.Write",
  summary: "Make a new address for the deliveries of a vendor",
  description: "Addresses of before are served for another day, each from its own rotation on.",
  params: ExtensionParams,
  reply: RotatedAddress,
  errors: [extensionUnknown, extensionTakesNoDeliveries, extensionNotConfigured],
  rateLimit: { limit: 30, windowSeconds: 60 },
  noStore: true,
  example: { reply: ROTATED_EXAMPLE },
  handle: (context, { params }) => rotateAddress(context, requireAddress(params.connector)),
});

export const extensionRoutes: readonly Route[] = [
  extensionList,
  ...connectors.flatMap(settingsRoutes),
  extensionTest,
  extensionRotate,
];
