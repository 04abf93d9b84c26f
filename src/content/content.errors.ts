import { defineError } from "#kernel/errors.ts";

export const contentNotFound = defineError({
  code: "content.not-found",
  status: 404,
  title: "The pass has no template",
  detail: ({ passType }: { passType: string }) =>
    `The configuration in force has no template '${passType}'.`,
});
