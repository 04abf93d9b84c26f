import { createHash } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { type Configuration, configurationOf, settingsFacts } from "#src/tenants/public.ts";
import { compileText } from "./liquid/liquid.ts";
import { createLocales, type Locales } from "./locale.translations.ts";
import { type BriefText, briefText } from "./template.brief.ts";
import { parseDuration } from "./template.expiration.ts";
import { type Expiry, type ExpiryRule, expiryBy } from "./template.expiry.ts";
import type { LocalizedPass } from "./template.render.ts";
import type { RenderInput, TenantFacts } from "./template.render-input.ts";
import { isTemplateFile } from "./template.set.ts";
import type { TextSource } from "./template.sources.ts";
import { askTemplates, type SetSource, type TemplateFacts } from "./template.thread.ts";

/** A template of the configuration in force. Rendering runs in a side thread. */
export type PublishedTemplate = Omit<
  TemplateFacts,
  "expirationText" | "zoneTexts" | "nameTexts"
> & {
  readonly passType: string;
  readonly locales: Pick<Locales, "languages" | "resolve">;
  expiryOf(input: RenderInput): Expiry;
  /** The codes that scanners read; undefined if only `render` can tell. Takes microseconds. */
  codesOf(input: RenderInput): readonly string[] | undefined;
  /** The name of the holder, as far as the texts of the pass tell it at once. */
  nameOf(input: RenderInput): string | undefined;
  render(input: RenderInput): Promise<LocalizedPass>;
  /** Where each text comes from. Asked for anew each time, because few callers need it. */
  sources(): Promise<readonly TextSource[]>;
};

/** All templates of one version of a tenant's files. */
export type PublishedTemplates = {
  /** The key is the pass type. */
  readonly templates: ReadonlyMap<string, PublishedTemplate>;
  readonly tenant: TenantFacts;
};

/** The templates in force for this call. A call uses the same version from its start to its end. */
export async function templatesOf(context: TenantContext): Promise<PublishedTemplates> {
  return await publishedTemplatesOf(await configurationOf(context));
}

/** The same of a version that is known already. */
export async function publishedTemplatesOf(
  configuration: Configuration,
): Promise<PublishedTemplates> {
  return await configuration.derive("templates", () => open(sourceOf(configuration)));
}

function sourceOf(configuration: Configuration): SetSource {
  const entries = [...configuration.entries.values()].filter(({ path }) => isTemplateFile(path));
  const tenant = settingsFacts(configuration.settings);
  const name = createHash("sha256").update(`${JSON.stringify(tenant)}\0`);
  for (const { path, hash } of entries) name.update(`${path}\0`).update(hash);
  return {
    tenantId: configuration.tenantId,
    tenant,
    set: name.digest("base64"),
    sizeBytes: entries.reduce((total, { size }) => total + size, 0),
    async files() {
      const files = new Map<string, Buffer>();
      for (const { path } of entries) {
        const content = await configuration.read(path);
        if (content !== undefined) files.set(path, content);
      }
      return files;
    },
  };
}

/** Asks for one template at a time, because unpacking many at once would block the event loop. */
async function open(source: SetSource): Promise<PublishedTemplates> {
  const { set } = source;
  const { facts } = await askTemplates(source, "set", { kind: "open", set });
  const [defaultLocale = "en", ...others] = facts.languages;
  const locales = createLocales(defaultLocale, new Map(others.map((name) => [name, new Map()])));
  const templates = new Map<string, PublishedTemplate>();
  for (const passType of facts.passTypes) {
    const reply = await askTemplates(source, "facts", { kind: "facts", set, passType });
    templates.set(passType, published(source, passType, reply.facts, locales));
  }
  return { templates, tenant: source.tenant };
}

function published(
  source: SetSource,
  passType: string,
  { expirationText, zoneTexts, nameTexts, ...facts }: TemplateFacts,
  locales: Locales,
): PublishedTemplate {
  const brief = (text: string) => briefText(text, locales.defaultLocale);
  const [codes, names] = [facts.codeTexts.map(brief), nameTexts.map(brief)];
  const { after } = facts.template.expiration ?? {};
  const rule = expiryRule({ after, at: expirationText, zoneTexts }, locales.defaultLocale);
  return {
    passType,
    ...facts,
    locales,
    expiryOf: (input) => expiryBy(rule(), input),
    codesOf: (input) => allOf(codes, input),
    nameOf: (input) => firstOf(names, input),
    async render(input) {
      const ask = { kind: "render", set: source.set, passType, input } as const;
      return (await askTemplates(source, "rendered", ask)).pass;
    },
    async sources() {
      const ask = { kind: "sources", set: source.set, passType } as const;
      return (await askTemplates(source, "sources", ask)).sources;
    },
  };
}

function allOf(texts: readonly BriefText[], input: RenderInput): readonly string[] | undefined {
  const made: string[] = [];
  for (const text of texts) {
    const result = text(input);
    if (result === undefined) return undefined;
    made.push(result);
  }
  return made;
}

function firstOf(texts: readonly BriefText[], input: RenderInput): string | undefined {
  for (const text of texts) {
    const result = text(input)?.trim();
    if (result) return result;
  }
  return undefined;
}

/** The expiration text is compiled when it is first needed. */
function expiryRule(
  {
    after,
    at,
    zoneTexts,
  }: Pick<TemplateFacts, "zoneTexts"> & Record<"after" | "at", string | undefined>,
  locale: string,
) {
  let rule: ExpiryRule | undefined;
  return (): ExpiryRule => {
    rule ??= {
      after: after === undefined ? undefined : parseDuration(after),
      at: at === undefined ? undefined : compileText(at),
      zones: zoneTexts.map(compileText),
      locale,
    };
    return rule;
  };
}
