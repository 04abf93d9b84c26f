import { defineError } from "#kernel/errors.ts";

export const extensionNotConfigured = defineError({
  code: "extension.not-configured",
  status: 404,
  title: "Not configured",
  detail: ({ title }: { title: string }) => `${title} is not configured for this tenant.`,
});

export const extensionUnknown = defineError({
  code: "extension.unknown",
  status: 404,
  title: "Unknown extension",
  detail: ({ connector }: { connector: string }) => `There is no extension '${connector}'.`,
});

export const extensionTakesNoDeliveries = defineError({
  code: "extension.takes-no-deliveries",
  status: 404,
  title: "No inbox",
  detail: ({ title }: { title: string }) => `${title} sends nothing to this service.`,
});
