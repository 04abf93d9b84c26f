import { IconWebhook } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type WebhookSearch = {
  readonly q?: string;
  readonly sort?: string;
  /** `events` for the catalogue. */
  readonly view?: string;
  /** What is typed to find events of the catalogue. */
  readonly find?: string;
  /** `yes` while a webhook is being created, or the event that it begins with. */
  readonly new?: string;
  /** The id of the webhook that is opened. */
  readonly id?: string;
  /** The ids of webhooks that are being changed, tried out, given a new secret, or brought up to date. */
  readonly edit?: string;
  readonly test?: string;
  readonly rotate?: string;
  readonly recover?: string;
  /** The job that brings the webhook up to date. */
  readonly job?: string;
  /** Which deliveries are listed: in this state, with this in the name of the event, of this period. */
  readonly state?: string;
  readonly event?: string;
  readonly period?: string;
  /** The delivery that is opened. */
  readonly delivery?: string;
};

export const page = definePage<WebhookSearch>({
  id: "webhooks",
  path: "webhooks",
  group: "connections",
  order: 10,
  title: { en: "Webhooks", fr: "Webhooks" },
  keywords: {
    en: "events deliveries subscription endpoint signature secret retry replay",
    fr: "événements envois abonnement adresse signature secret relance rejouer",
  },
  icon: IconWebhook,
  letter: "w",
  needs: "webhook.list",
  search: [
    "q",
    "sort",
    "view",
    "find",
    "new",
    "id",
    "edit",
    "test",
    "rotate",
    "recover",
    "job",
    "state",
    "event",
    "period",
    "delivery",
  ],
});
