import type { TenantContext } from "#kernel/context.ts";
import { chooseLanguage } from "#kernel/http/accept-language.ts";
import { type BotCheck, botCheckOf } from "#src/extensions/public.ts";
import { type PassType, type PassTypes, passTypesOf } from "#src/passes/public.ts";
import {
  type DataSchema,
  initialPrivilege,
  type RenderedPass,
} from "#src/templates/language/public.ts";
import { configurationOf } from "#src/tenants/public.ts";
import {
  PAGE_LANGUAGES,
  type PageLanguage,
  type Picture,
  picturesOf,
} from "#src/wallets/public.ts";
import type { ShownConsent } from "../entries/entry.service.ts";
import { findLink } from "../links/link.repository.ts";
import { isCode, type Link } from "../links/link.schema.ts";
import type { FormSettings } from "../settings/settings.schema.ts";
import { formSettingsOf } from "../settings/settings.service.ts";
import { type Field, fieldsOf, textIn } from "./form.fields.ts";

/** A form as one visitor sees it. */
export type Form = {
  readonly types: PassTypes;
  readonly type: PassType;
  readonly settings: FormSettings;
  readonly fields: readonly Field[];
  /** The languages of the tenant, the one of the templates first. */
  readonly languages: readonly string[];
  readonly language: string;
  /** The language of the page's own words. */
  readonly wordsIn: PageLanguage;
  readonly consents: readonly (ShownConsent & { readonly isRequired: boolean })[];
  /** The pass as it would be without any data. */
  readonly preview: RenderedPass;
  readonly pictures: ReadonlySet<Picture>;
  readonly botCheck: BotCheck | undefined;
  /** Undefined if the visitor did not come by a link, or it is switched off. */
  readonly link: Link | undefined;
};

type Asked = {
  readonly passType: string;
  /** The most wanted first. */
  readonly languages: readonly string[];
  readonly code: string | undefined;
};

/** Undefined if passes of this type have no form. */
export async function openForm(context: TenantContext, asked: Asked): Promise<Form | undefined> {
  const settings = await formSettingsOf(context, asked.passType);
  const types = await passTypesOf(context);
  const type = types.find(asked.passType);
  if (settings === undefined || type === undefined) return undefined;
  const { languages } = type.published.locales;
  const language = chooseLanguage(asked.languages, languages) ?? languages[0] ?? "en";
  const inOrder = [language, ...languages];
  const { entries } = await configurationOf(context);
  const consents = (settings.consents ?? []).map(({ id, text, url, required }) => {
    return { id, text: textIn(text, inOrder), url, isRequired: required === true };
  });
  return {
    types,
    type,
    settings,
    fields: fieldsOf(settings, type.template.data as DataSchema | undefined),
    languages,
    language,
    wordsIn: chooseLanguage([language, ...asked.languages], PAGE_LANGUAGES) ?? "en",
    consents,
    preview: await previewOf(context, type, language),
    pictures: picturesOf(type.template, entries),
    botCheck: await botCheckOf(context),
    link: await linkOf(context, asked),
  };
}

async function linkOf(
  context: TenantContext,
  { code, passType }: Asked,
): Promise<Link | undefined> {
  const link = code !== undefined && isCode(code) ? await findLink(context, code) : undefined;
  return link?.enabled && link.passType === passType ? link : undefined;
}

/** Made once for each version of the files: it is the same for everybody. */
async function previewOf(
  context: TenantContext,
  { published, tenant, template, rules: { passType } }: PassType,
  language: string,
): Promise<RenderedPass> {
  const configuration = await configurationOf(context);
  const { main, others } = await configuration.derive(`enrolment preview ${passType}`, () =>
    published.render({
      pass: { id: "", passType, creationDate: context.clock.now().toISOString() },
      identifiers: {},
      data: {},
      metadata: {},
      privileges: Object.fromEntries(
        (template.privileges ?? [])
          .map(initialPrivilege)
          .map((privilege) => [privilege.id, privilege]),
      ),
      tenant,
    }),
  );
  return others.find((other) => other.language === language) ?? main;
}
