import type { ConfigFiles, FindingKind } from "#src/files/public.ts";
import { fileFindings } from "./examination/files.ts";
import { imageFindingKinds } from "./images/image.findings.ts";
import { lintFindings } from "./lint/findings.ts";
import { templateFindings } from "./template.findings.ts";

/**
 * All findings of this module, without those of wallets and of the settings files of other modules.
 */
export function checkFindings(kinds: ConfigFiles): FindingKind[] {
  return [...templateFindings, ...lintFindings, ...imageFindingKinds, ...fileFindings(kinds)];
}
