import type { FindingKind } from "#src/tenants/public.ts";
import { credentialFindings } from "./credential.findings.ts";
import { fileFindings } from "./examination.files.ts";
import { imageFindingKinds } from "./image.findings.ts";
import { lintFindings } from "./lint.findings.ts";
import { templateFindings } from "./template.findings.ts";

/** Every kind of finding that this module can give. */
export const checkFindings: readonly FindingKind[] = [
  ...templateFindings,
  ...lintFindings,
  ...imageFindingKinds,
  ...credentialFindings,
  ...fileFindings,
];
