import { isAllowed } from "#kernel/actor.ts";
import type { TenantContext } from "#kernel/context.ts";
import { validationProblem } from "#kernel/errors.ts";
import { rightMissing } from "#kernel/http/right-missing.ts";
import { contentOf, fullInputOf, withExpiryOf } from "#src/content/public.ts";
import { sortFindings } from "#src/files/public.ts";
import { getPass, type Pass } from "#src/passes/public.ts";
import { templatePath } from "#src/templates/language/public.ts";
import {
  commonInput,
  type MadePass,
  type PassRequest,
  templatesOf,
  tryTemplate,
  variableNames,
} from "#src/templates/public.ts";
import {
  configurationOf,
  examineInTurn,
  readSentFiles,
  type TriedFiles,
  withTriedFiles,
} from "#src/tenants/public.ts";
import { buildContent } from "../apple/bundle/bundle.build.ts";
import { isOver } from "../apple/bundle/bundle.service.ts";
import { identityFor } from "../google/classes/class.service.ts";
import {
  buildGoogleClass,
  buildGoogleObject,
  buildSharedClass,
  hasManyClasses,
} from "../google/google.content.ts";
import { stateOf } from "../google/objects/object.content.ts";
import { findMessage, type PassMessage } from "../messages/message.repository.ts";
import { previewTemplateMissing } from "./preview.errors.ts";
import type { Preview, PreviewRequest } from "./preview.schema.ts";
import { type PreviewFiles, PreviewPictures } from "./preview-picture.service.ts";

/** Whoever looks at a preview needs no credentials, and cannot install what it shows. */
const APPLE_IDENTITY = { passTypeIdentifier: "pass.example", teamIdentifier: "EXAMPLE000" };
const GOOGLE_ISSUER = "0";

const FINDINGS_MAX = 200;
const PASS_SCOPE = "Pass.Read";

type Made = NonNullable<MadePass["pass"]>;
type Source = {
  readonly made: Made;
  readonly files: PreviewFiles;
  readonly known: readonly string[];
  /** Undefined for a sample. */
  readonly pass: Pass | undefined;
  readonly message: PassMessage | undefined;
};

/** What both wallets would get for a pass that exists, by the templates in force. */
export async function getPreview(context: TenantContext, passId: string): Promise<Preview> {
  const pass = await getPass(context, passId);
  const { template, rendered } = await contentOf(context, pass);
  const { templates, tenant } = await templatesOf(context);
  const common = await template.render(commonInput(tenant));
  const files = await configurationOf(context);
  const made = { template, rendered, common };
  const message = await findMessage(context, pass.id);
  return {
    passType: pass.passType,
    passTypes: [...templates.keys()],
    languages: [...template.locales.languages],
    variables: variableNames(template.template),
    ...(await buildWallets(context, { made, files, known: [], pass, message })),
    findings: [],
  };
}

/** The same by files that are not published, and for a sample if no pass is named. */
export async function createPreview(
  context: TenantContext,
  request: PreviewRequest,
): Promise<Preview> {
  const { passId, knownImages: known = [] } = request;
  const pass = passId === undefined ? undefined : await requirePass(context, passId);
  const passType = pass?.passType ?? request.passType;
  if (passType === undefined) throw validationProblem({ passType: ["or passId is needed"] });
  const changes = await readSentFiles(request.files ?? {});
  return await withTriedFiles(context, changes, async (files) => {
    if (!files.entries.has(templatePath(passType))) throw previewTemplateMissing({ passType });
    const { findings, made } = await tryFiles(context, files, pass, { ...request, passType });
    const facts = {
      passTypes: [...(made?.passTypes ?? [])],
      languages: [...(made?.languages ?? [])],
    };
    const all = sortFindings([...files.findings, ...findings]).slice(0, FINDINGS_MAX);
    const shown = { passType, ...facts, findings: all };
    if (made?.pass === undefined) return { ...shown, variables: [], apple: null, google: null };
    const message = pass && (await findMessage(context, pass.id));
    const rendered = pass ? withExpiryOf(pass, made.pass.rendered) : made.pass.rendered;
    const source = { made: { ...made.pass, rendered }, files, known, pass, message };
    return {
      ...shown,
      variables: variableNames(made.pass.template.template),
      ...(await buildWallets(context, source)),
    };
  });
}

async function requirePass(context: TenantContext, passId: string): Promise<Pass> {
  const { actor, tenantId } = context;
  if (!isAllowed(actor, PASS_SCOPE, tenantId)) {
    throw rightMissing(actor, PASS_SCOPE, tenantId, "A preview of a pass");
  }
  return await getPass(context, passId);
}

async function tryFiles(
  context: TenantContext,
  { texts, tenant }: TriedFiles,
  pass: Pass | undefined,
  { passType, additionalData, identifiers }: PreviewRequest & { readonly passType: string },
) {
  const request: PassRequest =
    pass === undefined
      ? { passType, data: additionalData ?? {}, identifiers: identifiers ?? {} }
      : { passType, input: await fullInputOf(context, pass, tenant) };
  return await examineInTurn(context.tenantId, texts, () =>
    tryTemplate(context.runtime.ports, { files: texts, tenant }, request),
  );
}

/** By the code that builds what the wallets get. */
async function buildWallets(
  context: TenantContext,
  { made: { template, rendered, common }, files, known, pass, message }: Source,
): Promise<Pick<Preview, "apple" | "google">> {
  const pictures = new PreviewPictures(context, files, known);
  const isVoided = pass !== undefined && isOver(context, pass);
  const identity = { ...APPLE_IDENTITY, isVoided };
  const { json, strings } = buildContent({ template, rendered, identity, message });
  const { imageUrl, images } = pictures.google(template);
  const google = identityFor(context, GOOGLE_ISSUER, imageUrl);
  const state = pass && stateOf(pass, context.clock.now());
  const { type, content } = buildGoogleObject(template, rendered, google, state);
  const ofClass = hasManyClasses(template)
    ? buildGoogleClass(template, rendered, google)
    : buildSharedClass(template, common, google);
  return {
    apple: { pass: json, strings: plain(strings), images: await pictures.apple(template) },
    google: { type, class: ofClass.content, object: content, images: await images() },
  };
}

type Tables = ReadonlyMap<string, ReadonlyMap<string, string>>;

function plain(tables: Tables): Record<string, Record<string, string>> {
  return Object.fromEntries(
    [...tables].map(([language, table]) => [language, Object.fromEntries(table)]),
  );
}
