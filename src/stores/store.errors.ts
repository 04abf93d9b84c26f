import { defineError } from "#kernel/errors.ts";

// Also for a store of another tenant: callers must not learn that the store exists.
export const storeNotFound = defineError({
  code: "store.not-found",
  status: 404,
  title: "Store not found",
  detail: ({ storeId }: { storeId: string }) => `This tenant has no store '${storeId}'.`,
});
