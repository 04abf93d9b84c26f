import type { TenantContext } from "#kernel/context.ts";
import { configurationOf } from "#src/tenants/public.ts";
import { compileTemplates, isTemplateFile, type TemplateSet } from "./template.set.ts";

/** The templates in force for this call: one version from its start to its end, compiled once. */
export async function templatesOf(context: TenantContext): Promise<TemplateSet> {
  const configuration = await configurationOf(context);
  return await configuration.derive("templates", async () => {
    const files = new Map<string, Buffer>();
    for (const path of configuration.entries.keys()) {
      if (!isTemplateFile(path)) continue;
      const content = await configuration.read(path);
      if (content !== undefined) files.set(path, content);
    }
    return compileTemplates(files).set;
  });
}
