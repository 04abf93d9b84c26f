import { IconUsers } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type CustomerSearch = {
  /** A name, an address, a number, an id, or an identifier such as `crm.id=4711`. */
  readonly q?: string;
  readonly sort?: string;
  /** `first`: what is typed is a first name; a last name without it. */
  readonly by?: string;
  /** `yes` while a customer is being created. */
  readonly new?: string;
  /** The id of the customer whose details are shown. */
  readonly customer?: string;
  /** The id of the customer that is being changed. */
  readonly edit?: string;
};

export const page = definePage<CustomerSearch>({
  id: "customers",
  path: "customers",
  group: "passes",
  order: 20,
  title: { en: "Customers", fr: "Clients" },
  keywords: {
    en: "people members holders consent gdpr erase email",
    fr: "personnes membres titulaires consentement rgpd effacer courriel",
  },
  icon: IconUsers,
  letter: "c",
  needs: "customer.list",
  search: ["q", "sort", "by", "new", "customer", "edit"],
});
