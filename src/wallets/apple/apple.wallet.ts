import { defineWallet } from "#src/templates/language/public.ts";
import { appleFindings } from "./apple.findings.ts";
import { appleImages } from "./apple.images.ts";
import { lintSample, lintTemplate } from "./apple.lint.ts";

export const wallet = defineWallet({
  findings: appleFindings,
  lintTemplate,
  lintSample,
  images: appleImages,
});
