import { hash } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import { type Pass, readCompanion } from "#src/passes/public.ts";
import {
  type LocalizedPass,
  type PublishedTemplate,
  type PublishedTemplates,
  type RenderedPass,
  type RenderInput,
  templatesOf,
} from "#src/templates/public.ts";
import { configurationOf } from "#src/tenants/public.ts";
import { ContentCache } from "./content.cache.ts";
import { contentNotFound } from "./content.errors.ts";

const CACHE_BYTES_MAX = 64 * 1024 * 1024;

export type PassContent = {
  readonly configurationVersion: number;
  /** Tells apart what privileges it was made from. */
  readonly privilegesVersion: string;
  readonly template: PublishedTemplate;
  readonly rendered: LocalizedPass;
};

export const contentCacheOf = perRuntime(() => new ContentCache<LocalizedPass>(CACHE_BYTES_MAX));

/** No tenant's id contains a space. */
export function contentKey(tenantId: string, passId: string): string {
  return `${tenantId} ${passId}`;
}

/**
 * A pass as its holder reads it, by the templates in force for this call: rendered once for each
 * version of the pass, of the configuration and of the privileges it shows.
 */
export async function contentOf(context: TenantContext, pass: Pass): Promise<PassContent> {
  const [configuration, set] = [await configurationOf(context), await templatesOf(context)];
  const template = set.templates.get(pass.passType);
  if (template === undefined) throw contentNotFound({ passType: pass.passType });
  const cache = contentCacheOf(context.runtime);
  const key = contentKey(context.tenantId, pass.id);
  const privileges = await privilegesFor(context, template, pass.id);
  const version = {
    pass: pass.version,
    configuration: configuration.version,
    privileges: hash("sha256", JSON.stringify(privileges), "base64url").slice(0, 16),
  };
  let rendered = cache.get(key, version);
  if (rendered === undefined) {
    rendered = await render(template, pass, privileges, set.tenant);
    cache.set(key, version, rendered);
  }
  return {
    configurationVersion: version.configuration,
    privilegesVersion: version.privileges,
    template,
    rendered,
  };
}

type Privileges = RenderInput["privileges"];

/** By id; none where the template shows none, which spares the question. */
async function privilegesFor(
  context: TenantContext,
  { readsPrivileges }: PublishedTemplate,
  passId: string,
): Promise<Privileges> {
  const known = readsPrivileges ? await readCompanion(context, passId, "privileges") : [];
  const list: Record<string, unknown>[] = Array.isArray(known) ? known : [];
  return Object.fromEntries(list.map((privilege) => [String(privilege.privilegeId), privilege]));
}

/** In the language of ours that serves a holder's best. */
export function inLanguage({ template, rendered }: PassContent, locale?: string): RenderedPass {
  const { language } = template.locales.resolve(locale);
  return rendered.others.find((other) => other.language === language) ?? rendered.main;
}

async function render(
  template: PublishedTemplate,
  pass: Pass,
  privileges: Privileges,
  tenant: PublishedTemplates["tenant"],
): Promise<LocalizedPass> {
  const input = { ...inputOf(pass, tenant), privileges };
  const { main, others } = await template.render(input);
  // What the pass says of its end holds, also where it says that there is none.
  const expiresAt = pass.expiresAt?.toISOString();
  return {
    main: { ...main, expiresAt },
    others: others.map((other) => ({ ...other, expiresAt })),
  };
}

function inputOf(
  pass: Pass,
  tenant: PublishedTemplates["tenant"],
): Omit<RenderInput, "privileges"> {
  const { id, passType, status, identifiers, data, metadata, version } = pass;
  return {
    pass: {
      id,
      passType,
      status,
      creationDate: pass.createdAt.toISOString(),
      lastUpdateDate: pass.updatedAt.toISOString(),
      expirationDate: pass.expiresAt?.toISOString() ?? null,
      version,
    },
    identifiers,
    data,
    metadata,
    tenant,
  };
}
