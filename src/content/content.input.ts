import type { Pass } from "#src/passes/public.ts";
import type { PublishedTemplates, RenderInput } from "#src/templates/public.ts";

/** What the texts of a template can read of a pass, except its privileges. */
export function inputOf(
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
