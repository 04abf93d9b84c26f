/**
 * The names of all connectors: in addresses, in `server/<name>.yml`, and before the names of identifiers.
 * They stand apart from the connectors because the process that checks files needs them, and may load no
 * service. A connector whose name is not here does not compile.
 */
const CONNECTOR_NAMES = [
  "bot-check",
  "braze",
  "brevo",
  "cdp",
  "customerio",
  "hubspot",
  "klaviyo",
  "loyaltylion",
  "pretix",
  "sfmc",
  "shopify",
  "square",
  "tito",
] as const;

export type ConnectorName = (typeof CONNECTOR_NAMES)[number];

/** The connector whose people an identifier names: `cdp` for `cdp.registered`. */
export function connectorOfIdentifier(identifier: string): ConnectorName | undefined {
  return CONNECTOR_NAMES.find((name) => identifier.startsWith(`${name}.`));
}
