import { defineError } from "#kernel/errors.ts";

export const scanNotFound = defineError({
  code: "scan.not-found",
  status: 404,
  title: "Scan not found",
  detail: ({ scanId }: { scanId: string }) => `This tenant has no scan '${scanId}'.`,
});
