import { botCheck } from "./bot-check/bot-check.connector.ts";
import { braze } from "./braze/braze.connector.ts";
import { brevo } from "./brevo/brevo.connector.ts";
import { cdp } from "./cdp/cdp.connector.ts";
import { customerio } from "./customerio/customerio.connector.ts";
import { hubspot } from "./hubspot/hubspot.connector.ts";
import type { Connector } from "./kit/connector.ts";
import { klaviyo } from "./klaviyo/klaviyo.connector.ts";
import { loyaltylion } from "./loyaltylion/loyaltylion.connector.ts";
import { pretix } from "./pretix/pretix.connector.ts";
import { sfmc } from "./sfmc/sfmc.connector.ts";
import { shopify } from "./shopify/shopify.connector.ts";
import { square } from "./square/square.connector.ts";
import { tito } from "./tito/tito.connector.ts";

/** All connectors. A new vendor is its folder and its line here. */
export const connectors: readonly Connector[] = [
  cdp,
  shopify,
  square,
  loyaltylion,
  pretix,
  tito,
  sfmc,
  customerio,
  klaviyo,
  braze,
  brevo,
  hubspot,
  botCheck,
];

export function findConnector(name: string): Connector | undefined {
  return connectors.find((connector) => connector.name === name);
}
