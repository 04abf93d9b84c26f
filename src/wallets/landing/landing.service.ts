import { systemCall } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { isTenantId } from "#kernel/db/scope.ts";
import { ProblemError } from "#kernel/errors.ts";
import { chooseLanguage } from "#kernel/http/accept-language.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { contentNotFound, contentOf, inLanguage, type PassContent } from "#src/content/public.ts";
import { findPassBySecret, linksOf, type Pass, type PassLinks } from "#src/passes/public.ts";
import {
  type FittedImage,
  fittedImage,
  ImageError,
  type RenderedPass,
  type Template,
} from "#src/templates/public.ts";
import { configurationOf, publicAddress, tenantCacheOf } from "#src/tenants/public.ts";
import { PASSES_MAX, PASSES_MIN } from "../apple/bundle/bundle.errors.ts";
import { PICTURES, type Picture, pictureSource } from "./landing.pictures.ts";

const PASS_AND_SECRET = /^([\w-]{5,50})\.([A-Za-z0-9]{16,64})$/;

/** A pass that was asked for by its public address, and the call in which it is shown. */
export type Visit = { readonly context: TenantContext; readonly pass: Pass };

/**
 * Finds the pass of an address. Undefined for an unknown tenant, an unknown pass and a wrong
 * secret, so that nobody learns which of them it was.
 */
export async function findVisit(
  runtime: Runtime,
  tenantId: string,
  link: string,
  requestId: string,
): Promise<Visit | undefined> {
  const [, passId, secret] = PASS_AND_SECRET.exec(link) ?? [];
  if (passId === undefined || secret === undefined || !isTenantId(tenantId)) return undefined;
  const known = await tenantCacheOf(runtime).find(tenantId);
  if (known === undefined) return undefined;
  const context = systemCall(runtime, "landing.open", { tenantId, requestId });
  const pass = await findPassBySecret(context, passId, secret);
  return pass === undefined ? undefined : { context, pass };
}

/**
 * Finds the passes of an address that names several. Undefined unless all of them are right,
 * different, and as many as Apple Wallet takes. All are looked up in any case.
 */
export async function findVisits(
  runtime: Runtime,
  tenantId: string,
  links: readonly string[],
  requestId: string,
): Promise<readonly Visit[] | undefined> {
  if (links.length < PASSES_MIN || links.length > PASSES_MAX) return undefined;
  const visits: Visit[] = [];
  for (const link of links) {
    const visit = await findVisit(runtime, tenantId, link, requestId);
    if (visit !== undefined) visits.push(visit);
  }
  const different = new Set(visits.map(({ pass }) => pass.id));
  return different.size === links.length ? visits : undefined;
}

/** Why the holder cannot add the pass now. */
export type Obstacle = "disabled" | "expired";

/** The job that marks passes as expired may run a little later than the pass expires. */
export function obstacleOf({ context, pass }: Visit): Obstacle | undefined {
  if (pass.status !== "active") return pass.status;
  return pass.expiresAt !== null && pass.expiresAt <= context.clock.now() ? "expired" : undefined;
}

export type Landing = {
  readonly links: PassLinks;
  readonly obstacle: Obstacle | undefined;
  /** Undefined if the configuration has no template for the pass any more. */
  readonly card: LandingCard | undefined;
  readonly pictures: ReadonlySet<Picture>;
};

export type LandingCard = {
  readonly content: PassContent;
  /** In the language of the tenant that the visitor reads best. */
  readonly rendered: RenderedPass;
};

export async function openLanding(visit: Visit, languages: readonly string[]): Promise<Landing> {
  const { context, pass } = visit;
  const { settings, entries } = await configurationOf(context);
  const address = publicAddress(context.runtime.baseUrl, settings.customDomain);
  const content = await findContent(visit);
  const template = content?.template.template;
  return {
    links: linksOf(address, context.tenantId, pass),
    obstacle: obstacleOf(visit),
    card: content && { content, rendered: inBestLanguage(content, languages) },
    pictures: template === undefined ? new Set() : picturesOf(template, entries),
  };
}

/** The pictures that the tenant has for pages about passes of a type. */
export function picturesOf(
  template: Template,
  entries: Parameters<typeof pictureSource>[2],
): ReadonlySet<Picture> {
  return new Set(
    PICTURES.filter((picture) => pictureSource(picture, template, entries) !== undefined),
  );
}

function inBestLanguage(content: PassContent, wanted: readonly string[]): RenderedPass {
  return inLanguage(content, chooseLanguage(wanted, content.template.locales.languages));
}

async function findContent({ context, pass }: Visit): Promise<PassContent | undefined> {
  try {
    return await contentOf(context, pass);
  } catch (error) {
    if (error instanceof ProblemError && error.code === contentNotFound.code) return undefined;
    throw error;
  }
}

/** A picture of the page of a pass; undefined if the tenant has none. */
export async function findPicture(
  visit: Visit,
  picture: Picture,
): Promise<FittedImage | undefined> {
  const content = await findContent(visit);
  return content && (await findPictureOf(visit.context, content.template.template, picture));
}

/** A picture in double size, for sharp screens; undefined if the tenant has none. */
export async function findPictureOf(
  context: TenantContext,
  template: Template,
  picture: Picture,
): Promise<FittedImage | undefined> {
  const configuration = await configurationOf(context);
  const source = pictureSource(picture, template, configuration.entries);
  const entry = source && configuration.entries.get(source.path);
  if (source === undefined || entry === undefined) return undefined;
  const read = async () => (await configuration.read(source.path)) ?? Buffer.alloc(0);
  try {
    return await fittedImage(context, entry.hash.toString("hex"), read, source.slot, 2);
  } catch (error) {
    // Files in `branding` may be of any type, also with the name of a picture.
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}
