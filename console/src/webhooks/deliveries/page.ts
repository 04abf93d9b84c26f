import { IconMailbox } from "@tabler/icons-react";
import { definePage } from "../../page.ts";

export type DeliverySearch = {
  /** A part of the name of an event, or the id of an event. */
  readonly q?: string;
  /** `pending`, `retrying`, `delivered` or `failed`. */
  readonly state?: string;
  /** The id of a webhook. */
  readonly webhook?: string;
  /** How many days the list looks back; all of them without it. */
  readonly days?: string;
  /** The delivery that is opened, by its webhook and its event: `k7Qz2/evt_0VfQm3Ks00x7Rk2LwPq9Zt`. */
  readonly delivery?: string;
};

export const page = definePage<DeliverySearch>({
  id: "deliveries",
  path: "deliveries",
  group: "connections",
  order: 15,
  title: { en: "Deliveries", fr: "Envois" },
  keywords: {
    en: "webhooks sent failed retry attempts log endpoint",
    fr: "webhooks envoyé échec relance tentatives journal adresse",
  },
  icon: IconMailbox,
  needs: "delivery.list-all",
  search: ["q", "state", "webhook", "days", "delivery"],
});
