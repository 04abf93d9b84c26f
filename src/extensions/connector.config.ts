import Type from "typebox";
import { configFile, defineConfigFiles } from "#src/files/public.ts";

/** Each connector defines its own members, so every member is allowed here. */
const ConnectorSettings = Type.Record(Type.String(), Type.Unknown());

/** Connectors whose file is accepted although no module reads it yet. */
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
