import { IconReceipt } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type ReceiptSearch = {
  /** A part of a reference, or the id of a pass or a customer. */
  readonly q?: string;
  readonly sort?: string;
  /** The id of the receipt whose details are shown. */
  readonly receipt?: string;
  /** The id of the receipt on which a refund is being noted. */
  readonly refund?: string;
};

export const page = definePage<ReceiptSearch>({
  id: "receipts",
  path: "receipts",
  group: "passes",
  order: 40,
  title: { en: "Receipts", fr: "Tickets de caisse" },
  keywords: {
    en: "purchase order refund till sale amount",
    fr: "achat commande remboursement caisse vente montant",
  },
  icon: IconReceipt,
  needs: "receipt.list",
  search: ["q", "sort", "receipt", "refund"],
});
