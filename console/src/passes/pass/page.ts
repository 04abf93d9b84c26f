import { IconWallet } from "@tabler/icons-react";
import { definePage } from "../../page.ts";

export type PassSearch = {
  readonly passId?: string;
  /** The part that is shown: `overview`, `timeline`, … */
  readonly tab?: string;
  /** The dialog that is open: `update`, `notify`, `scan`. */
  readonly do?: string;
  /** The privilege whose ledger is open, or that is being moved. */
  readonly privilege?: string;
};

export const page = definePage<PassSearch>({
  id: "pass",
  path: "passes/$passId",
  group: "passes",
  order: 11,
  title: { en: "Pass", fr: "Passe" },
  keywords: { en: "pass", fr: "passe" },
  icon: IconWallet,
  needs: "pass.get",
  isInner: true,
  search: ["tab", "do", "privilege"],
});
