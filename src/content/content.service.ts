import { hash } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { digitsOf } from "#kernel/exact-number.ts";
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
import { codesIn } from "./codes/code.rules.ts";
import { noteCodes } from "./codes/code.service.ts";
import { ContentCache } from "./content.cache.ts";
import { contentNotFound } from "./content.errors.ts";
import { inputOf } from "./content.input.ts";

const CACHE_BYTES_MAX = 64 * 1024 * 1024;

export type PassContent = {
  readonly configurationVersion: number;
  /** A hash of the privileges that the content was made from. */
  readonly privilegesVersion: string;
  readonly template: PublishedTemplate;
  readonly rendered: LocalizedPass;
};

export const contentCacheOf = perRuntime(() => new ContentCache<LocalizedPass>(CACHE_BYTES_MAX));

/** The space separates the two ids without doubt, because no tenant id contains a space. */
export function contentKey(tenantId: string, passId: string): string {
  return `${tenantId} ${passId}`;
}

/**
 * Returns a pass as its holder reads it, made by the templates in force for this call. The
 * rendering is cached for this version of the pass, the configuration and the privileges it shows,
 * unless the cache was cleared since it had this number of `clearings`.
 */
export async function contentOf(
  context: TenantContext,
  pass: Pass,
  clearings = contentCacheOf(context.runtime).clearings,
): Promise<PassContent> {
  const cache = contentCacheOf(context.runtime);
  const [configuration, set] = [await configurationOf(context), await templatesOf(context)];
  const template = set.templates.get(pass.passType);
  if (template === undefined) throw contentNotFound({ passType: pass.passType });
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
    // Before anybody sees the pass: a scanner may read its code a second later.
    await noteCodes(context, pass, codesIn(rendered));
    if (cache.clearings === clearings) cache.set(key, version, rendered);
  }
  return {
    configurationVersion: version.configuration,
    privilegesVersion: version.privileges,
    template,
    rendered,
  };
}

type Privileges = RenderInput["privileges"];

/** All that a template can read of a pass, for templates that are not in force. */
export async function fullInputOf(
  context: TenantContext,
  pass: Pass,
  tenant: PublishedTemplates["tenant"],
): Promise<RenderInput> {
  const privileges = await privilegesFor(context, { readsPrivileges: true }, pass.id);
  return { ...inputOf(pass, tenant), privileges };
}

/**
 * Returns the privileges of the pass by id. A template that shows no privileges gets none, which
 * saves a query.
 */
async function privilegesFor(
  context: TenantContext,
  { readsPrivileges }: Pick<PublishedTemplate, "readsPrivileges">,
  passId: string,
): Promise<Privileges> {
  const known = readsPrivileges ? await readCompanion(context, passId, "privileges") : [];
  const list: Record<string, unknown>[] = Array.isArray(known) ? known : [];
  return Object.fromEntries(
    list.map((privilege) => [String(privilege.privilegeId), shown(privilege)]),
  );
}

/** A template gets the digits of a number that JavaScript cannot hold: as text, none is lost. */
function shown(privilege: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(privilege);
  return Object.fromEntries(members.map(([name, value]) => [name, digitsOf(value) ?? value]));
}

/** Returns the rendering in the language of the tenant that fits the locale of the holder best. */
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
  return withExpiryOf(pass, await template.render(input));
}

/** The rendering of a pass with the date that the pass has. */
export function withExpiryOf(
  { expiresAt: end }: Pick<Pass, "expiresAt">,
  { main, others }: LocalizedPass,
): LocalizedPass {
  // The expiration date of the pass wins over the one that the template computes, also when the
  // pass never expires.
  const expiresAt = end?.toISOString();
  return {
    main: { ...main, expiresAt },
    others: others.map((other) => ({ ...other, expiresAt })),
  };
}
