import { Readable } from "node:stream";
import Type from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { validationProblem } from "#kernel/errors.ts";
import { tooBusy } from "#kernel/fair-gate.ts";
import { negotiate } from "#kernel/http/media-type.ts";
import { problemKinds } from "#kernel/http/problem.ts";
import { type Answer, answer, defineRoute } from "#kernel/http/route.ts";
import { tenantNotFound } from "#kernel/tenant.errors.ts";
import { SET_BYTES_MAX, zipPieces, zipSizeBytes } from "#src/files/public.ts";
import { tenantBeingErased, tenantCreationForbidden, tenantIdReserved } from "../tenant.errors.ts";
import { TenantParams } from "../tenant.schema.ts";
import {
  configurationChangedMeanwhile,
  configurationDomainTaken,
  configurationDraftNotFound,
  configurationDraftOutdated,
  configurationInvalid,
  configurationVersionNotFound,
} from "./configuration.errors.ts";
import { isLargeSet, jsonPieces } from "./configuration.pieces.ts";
import { HISTORY_LIST, listVersions } from "./configuration.repository.ts";
import {
  ConfigurationDiff,
  ConfigurationPatch,
  ConfigurationPublished,
  ConfigurationPut,
  ConfigurationTest,
  ConfigurationVersionView,
  ConfigurationView,
  DRAFT_VERSION,
  presentFiles,
} from "./configuration.schema.ts";
import {
  discardDraft,
  draftConfiguration,
  type FileEdit,
  publishConfiguration,
  publishDraft,
  rollBackConfiguration,
} from "./configuration.service.ts";
import {
  diffConfigurations,
  type LoadedConfiguration,
  readConfiguration,
  testConfiguration,
} from "./configuration-reader.service.ts";
import { withEdit } from "./configuration-sent.service.ts";

const ZIP = "application/zip";
const JSON_SIZE_BYTES_MAX = 32 * 1024 * 1024;

const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const Message = Type.Optional(Type.String({ maxLength: 1_000 }));

const publishErrors = [
  tooBusy,
  configurationInvalid,
  configurationChangedMeanwhile,
  configurationDomainTaken,
];

const EXAMPLE_REPLY = {
  tenantId: "cafe-lune",
  version: 1,
  changes: [{ path: "tenant.yml", change: "added" }],
  warnings: [],
};

const PublishQuery = Type.Object(
  {
    publish: Type.Optional(
      Type.Boolean({ default: true, description: "`false` stores a draft instead." }),
    ),
    message: Type.Optional(
      Type.String({ maxLength: 1_000, description: "Why, when the body is an archive." }),
    ),
  },
  { additionalProperties: false },
);

export const tenantPut = defineRoute({
  op: "tenant.put",
  method: "PUT",
  url: "/api/tenants/:tenantId",
  scope: "TenantConfiguration.Write",
  createsTenant: true,
  summary: "Create a tenant or replace its configuration files",
  description:
    "Publishes the files, sent as JSON or as a ZIP archive, as one new version. A tenant that does not exist is created, which needs the role Global Administrator. A set with errors is refused and changes nothing. With `publish=false` the files become the draft of a tenant, which has to exist: `If-Match` then takes the `ETag` of the draft that they replace, or of the version in force if there is none.",
  params: TenantParams,
  query: PublishQuery,
  body: ConfigurationPut,
  bodySizeBytesMax: JSON_SIZE_BYTES_MAX,
  rawBody: { type: ZIP, sizeBytesMax: SET_BYTES_MAX },
  reply: ConfigurationPublished,
  otherStatuses: [201],
  errors: [
    ...publishErrors,
    tenantIdReserved,
    tenantCreationForbidden,
    tenantBeingErased,
    tenantNotFound,
  ],
  example: {
    body: { files: { "tenant.yml": "name: Café Lune\n" }, message: "First version" },
    reply: EXAMPLE_REPLY,
  },
  async handle(context, { body, raw, query }) {
    const sent = { replaces: true, body, raw, message: query.message };
    return await withEdit(context, sent, async (edit) => {
      if (query.publish === false) return await draft(context, edit);
      const { created, ...published } = await publishConfiguration(context, edit);
      const location = `/api/tenants/${context.tenantId}`;
      return answer(published, {
        version: published.version,
        ...(created ? { status: 201, headers: { location } } : {}),
      });
    });
  },
});

export const tenantPatch = defineRoute({
  op: "tenant.patch",
  method: "PATCH",
  url: "/api/tenants/:tenantId",
  scope: "TenantConfiguration.Write",
  summary: "Change some configuration files",
  description:
    "Only the files named change; in JSON `null` deletes one. With `publish=false` the draft is changed, or begun from the version in force: `If-Match` takes the `ETag` of the one that it changes.",
  params: TenantParams,
  query: PublishQuery,
  body: ConfigurationPatch,
  bodySizeBytesMax: JSON_SIZE_BYTES_MAX,
  rawBody: { type: ZIP, sizeBytesMax: SET_BYTES_MAX },
  reply: ConfigurationPublished,
  errors: publishErrors,
  example: {
    body: { files: { "locales/fr.yml": "Points: Points\n", "locales/de.yml": null } },
    reply: { ...EXAMPLE_REPLY, version: 2, changes: [{ path: "locales/fr.yml", change: "added" }] },
  },
  async handle(context, { body, raw, query }) {
    const sent = { replaces: false, body, raw, message: query.message };
    return await withEdit(context, sent, async (edit) => {
      if (query.publish === false) return await draft(context, edit);
      const { created: _, ...published } = await publishConfiguration(context, edit);
      return answer(published, { version: published.version });
    });
  },
});

export const tenantGet = defineRoute({
  op: "tenant.get",
  method: "GET",
  url: "/api/tenants/:tenantId",
  scope: "TenantConfiguration.Read",
  summary: "Download the configuration",
  description:
    "A ZIP archive, or JSON when `Accept` asks for `application/json`. Each has its own `ETag`; `If-Match` takes that of either.",
  params: TenantParams,
  query: Type.Object(
    {
      version: Type.Optional(Version),
      draft: Type.Optional(Type.Boolean({ description: "The draft instead of a version." })),
    },
    { additionalProperties: false },
  ),
  reply: ConfigurationView,
  rawReply: ZIP,
  errors: [tooBusy, configurationVersionNotFound, configurationDraftNotFound],
  example: {
    reply: { tenantId: "cafe-lune", version: 1, files: { "tenant.yml": "name: Café Lune\n" } },
  },
  async handle(context, { query, accept }) {
    if (query.draft === true && query.version !== undefined) {
      throw validationProblem({ version: ["cannot be combined with draft"] });
    }
    const wanted = query.draft === true ? DRAFT_VERSION : query.version;
    return await readConfiguration(context, wanted, (loaded) =>
      presentConfiguration(context.tenantId, loaded, accept),
    );
  },
});

/** With the ETag of the draft, which its next change can name in `If-Match`. */
async function draft(context: TenantContext, edit: FileEdit): Promise<Answer> {
  const { tag, reply } = await draftConfiguration(context, edit);
  return answer(reply, { version: tag });
}

/** A large configuration is written in pieces, so that other requests are served in between. */
async function presentConfiguration(
  tenantId: string,
  { version, tag, files }: LoadedConfiguration,
  accept: string | undefined,
): Promise<Answer> {
  if (negotiate(accept, [ZIP, "application/json", "text/json", "text/plain"]) !== ZIP) {
    const body = isLargeSet(files)
      ? Readable.from(jsonPieces({ tenantId, version, files }))
      : { tenantId, version, files: presentFiles(files) };
    return answer(body, { version: tag });
  }
  const name = version === DRAFT_VERSION ? `${tenantId}-draft` : `${tenantId}-${version}`;
  return answer(Readable.from(zipPieces(files, new Date(0))), {
    version: tag,
    representation: "zip",
    headers: {
      "content-type": ZIP,
      "content-length": String(zipSizeBytes(files)),
      "content-disposition": `attachment; filename="${name}.zip"`,
    },
  });
}

export const tenantHistory = defineRoute({
  op: "tenant.history",
  method: "GET",
  url: "/api/tenants/:tenantId/config/history",
  scope: "TenantConfiguration.Read",
  summary: "Configuration change history",
  description: "Newest first: who published what, when and why.",
  params: TenantParams,
  list: HISTORY_LIST,
  reply: Type.Array(ConfigurationVersionView),
  handle: (context, input) => listVersions(context, input),
});

export const tenantDiff = defineRoute({
  op: "tenant.diff",
  method: "GET",
  url: "/api/tenants/:tenantId/config/diff",
  scope: "TenantConfiguration.Read",
  summary: "What changed between two versions",
  params: TenantParams,
  query: Type.Object(
    {
      from: Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: "0 is the draft." }),
      to: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: "Default: in force." }),
      ),
    },
    { additionalProperties: false },
  ),
  reply: ConfigurationDiff,
  errors: [configurationVersionNotFound, configurationDraftNotFound],
  handle: (context, { query }) => diffConfigurations(context, query.from, query.to),
});

export const tenantTest = defineRoute({
  op: "tenant.test",
  method: "GET",
  url: "/api/tenants/:tenantId/test",
  scope: "TenantConfiguration.Read",
  summary: "Validate the configuration without publishing",
  description: "Checks the draft where there is one, else the version in force.",
  params: TenantParams,
  reply: ConfigurationTest,
  rateLimit: { limit: 120, windowSeconds: 60 },
  errors: [tooBusy],
  async handle(context) {
    const { version, findings } = await testConfiguration(context);
    const valid = findings.every(({ severity }) => severity !== "error");
    return { valid, ...(version === DRAFT_VERSION ? { draft: true } : { version }), findings };
  },
});

export const tenantPublish = defineRoute({
  op: "tenant.publish",
  method: "POST",
  url: "/api/tenants/:tenantId/publish",
  scope: "TenantConfiguration.Write",
  summary: "Publish the draft",
  description: "`If-Match` takes the `ETag` of the draft.",
  params: TenantParams,
  body: Type.Object({ message: Message }, { additionalProperties: false, title: "Publish" }),
  reply: ConfigurationPublished,
  status: 200,
  errors: [
    ...publishErrors,
    configurationDraftNotFound,
    configurationDraftOutdated,
    problemKinds.preconditionFailed,
  ],
  example: { body: { message: "Summer menu" }, reply: EXAMPLE_REPLY },
  async handle(context, { body }) {
    const { created: _, ...published } = await publishDraft(context, body.message ?? null);
    return answer(published, { version: published.version });
  },
});

export const tenantDiscardDraft = defineRoute({
  op: "tenant.discard-draft",
  method: "DELETE",
  url: "/api/tenants/:tenantId/draft",
  scope: "TenantConfiguration.Write",
  summary: "Throw the draft away",
  description: "`If-Match` takes the `ETag` of the draft.",
  params: TenantParams,
  errors: [configurationDraftNotFound, problemKinds.preconditionFailed],
  handle: (context) => discardDraft(context),
});

export const tenantRollback = defineRoute({
  op: "tenant.rollback",
  method: "POST",
  url: "/api/tenants/:tenantId/config/rollback",
  scope: "TenantConfiguration.Write",
  summary: "Publish the files of an older version again",
  params: TenantParams,
  body: Type.Object(
    { version: Version, message: Message },
    { additionalProperties: false, title: "Rollback" },
  ),
  reply: ConfigurationPublished,
  status: 200,
  errors: [...publishErrors, configurationVersionNotFound, problemKinds.preconditionFailed],
  example: { body: { version: 3 }, reply: { ...EXAMPLE_REPLY, version: 5 } },
  async handle(context, { body }) {
    const { created: _, ...published } = await rollBackConfiguration(
      context,
      body.version,
      body.message ?? null,
    );
    return answer(published, { version: published.version });
  },
});
