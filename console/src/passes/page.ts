import { IconWallet } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type PassesSearch = {
  /** The beginning of what stands in the field `in`. */
  readonly q?: string;
  readonly sort?: string;
  /** `id`, `identifiers.<name>` or `additionalData.<name>`. */
  readonly in?: string;
  readonly status?: string;
  /** `installed`, `uninstalled` or `none`. */
  readonly installed?: string;
  readonly type?: string;
  /** Created within so many days, or between two days. */
  readonly days?: string;
  readonly from?: string;
  readonly to?: string;
  /** `yes` while a pass is being created. */
  readonly new?: string;
  /** Leads on to the page of this pass. */
  readonly pass?: string;
};

export const page = definePage<PassesSearch>({
  id: "passes",
  path: "passes",
  group: "passes",
  order: 10,
  title: { en: "Passes", fr: "Passes" },
  keywords: {
    en: "cards tickets coupons find create notify disable",
    fr: "cartes billets coupons trouver créer prévenir désactiver",
  },
  icon: IconWallet,
  letter: "p",
  needs: "pass.list",
  search: ["q", "sort", "in", "status", "installed", "type", "days", "from", "to", "new", "pass"],
});
