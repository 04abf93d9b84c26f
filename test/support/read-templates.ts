import type { FileSet } from "#src/files/public.ts";
import * as templates from "#src/templates/template.set.ts";
import type { SettingsFacts } from "#src/tenants/public.ts";
import { checkSettings, SETTINGS_FILE } from "#src/tenants/settings/settings.check.ts";

/** What the `tenant.yml` of a set says. */
export function factsOf(files: FileSet): SettingsFacts {
  return checkSettings(files.get(SETTINGS_FILE) ?? Buffer.alloc(0), []).facts;
}

/** The templates of a set, as they are read once its `tenant.yml` is known. */
export function readTemplates(files: FileSet): templates.SourceReading {
  return templates.readTemplates(files, factsOf(files));
}
