import { defineError } from "#kernel/errors.ts";

export const passNotActive = defineError({
  code: "pass.not-active",
  status: 409,
  title: "Pass is not active",
  detail: ({ passId, status }: { passId: string; status: string }) =>
    `Pass '${passId}' is ${status}: its holder is told nothing.`,
  members: ({ status }) => ({ passStatus: status }),
});
