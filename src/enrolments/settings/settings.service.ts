import type { TenantContext } from "#kernel/context.ts";
import { readYaml } from "#src/files/public.ts";
import { configurationOf } from "#src/tenants/public.ts";
import { ENROLMENT_FILE, type EnrolmentSettings, type FormSettings } from "./settings.schema.ts";

async function settingsOf(context: TenantContext): Promise<EnrolmentSettings | undefined> {
  const configuration = await configurationOf(context);
  return await configuration.derive("enrolment settings", async () => {
    const bytes = await configuration.read(ENROLMENT_FILE);
    // The file was checked against its schema when it was published.
    return bytes && (readYaml(ENROLMENT_FILE, bytes).file?.value as EnrolmentSettings | undefined);
  });
}

/** Undefined if the pass type has no form. */
export async function formSettingsOf(
  context: TenantContext,
  passType: string,
): Promise<FormSettings | undefined> {
  const { passTypes = {} } = (await settingsOf(context)) ?? {};
  return Object.hasOwn(passTypes, passType) ? passTypes[passType] : undefined;
}

/** The pass types that have a form. */
export async function formNamesOf(context: TenantContext): Promise<readonly string[]> {
  return Object.keys((await settingsOf(context))?.passTypes ?? {});
}
