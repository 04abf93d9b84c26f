import Type from "typebox";
import { configFile, defineConfigFiles } from "#src/files/public.ts";

/** A map whose members belong to the connector. */
const ConnectorSettings = Type.Record(Type.String(), Type.Unknown());

/** Connectors whose file is known before anything reads it. */
const CONNECTORS = [
  "cdp",
  "bot-check",
  "customerio",
  "pretix",
  "sfmc",
  "shopify",
  "square",
  "tito",
] as const;

export const configFiles = defineConfigFiles([
  configFile({
    path: "server/<connector>.yml",
    names: CONNECTORS,
    schema: ConnectorSettings,
    about: (names) => {
      const either = new Intl.ListFormat("en-GB", { type: "disjunction" });
      return `Settings of a connector: ${either.format(names)}. Its members belong to the connector.`;
    },
    example: "baseUrl: https://cdp.example\n",
  }),
]);
