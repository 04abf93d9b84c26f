import { defineWallet } from "#src/templates/language/public.ts";
import { googleFindings } from "./google.findings.ts";
import { googleImages } from "./google.images.ts";
import { lintSample, lintTemplate } from "./google.lint.ts";

export const wallet = defineWallet({
  findings: googleFindings,
  lintTemplate,
  lintSample,
  images: googleImages,
});
