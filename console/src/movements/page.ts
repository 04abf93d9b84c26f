import { IconArrowsUpDown } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type MovementSearch = {
  /** A part of a reference, or the id of a pass or of a movement. */
  readonly q?: string;
  readonly sort?: string;
  /** `issuance`, `redemption` or `adjustment`. */
  readonly type?: string;
  /** How many days the list looks back; all of them without it. */
  readonly days?: string;
};

export const page = definePage<MovementSearch>({
  id: "movements",
  path: "movements",
  group: "passes",
  order: 35,
  title: { en: "Movements", fr: "Mouvements" },
  keywords: {
    en: "ledger redemption redeem points stamps balance privilege issuance",
    fr: "registre utilisation points tampons solde avantage crédit",
  },
  icon: IconArrowsUpDown,
  letter: "m",
  needs: "movement.list-all",
  search: ["q", "sort", "type", "days"],
});
