import { IconPlugConnected } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type ConnectorSearch = {
  /** Which cards of the gallery are shown: `used` or `trouble`. */
  readonly show?: string;
  /** The connector that is open, by its name. */
  readonly name?: string;
  readonly tab?: string;
  /** Of its lists: the words that are looked for, the order, and further filters of the inbox. */
  readonly q?: string;
  readonly sort?: string;
  readonly status?: string;
  readonly subject?: string;
  /** The delivery that is open. */
  readonly delivery?: string;
};

export const page = definePage<ConnectorSearch>({
  id: "connectors",
  path: "connectors",
  group: "connections",
  order: 20,
  title: { en: "Connectors", fr: "Connecteurs" },
  keywords: {
    en: "shopify square loyaltylion pretix tito klaviyo braze brevo hubspot customer.io bloomreach salesforce inbox extension",
    fr: "shopify square loyaltylion pretix tito klaviyo braze brevo hubspot customer.io bloomreach salesforce réception extension",
  },
  icon: IconPlugConnected,
  letter: "x",
  needs: "extension.list",
  search: ["show", "name", "tab", "q", "sort", "status", "subject", "delivery"],
});
