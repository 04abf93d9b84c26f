import { defineError } from "#kernel/errors.ts";

export const previewTemplateMissing = defineError({
  code: "preview.template-missing",
  status: 404,
  title: "There is no such template",
  detail: ({ passType }: { passType: string }) => `These files have no template '${passType}'.`,
});
