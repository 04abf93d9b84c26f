import { IconDeviceMobile } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type PhonesSearch = {
  /** The pass to put on both phones as soon as the page is open. */
  readonly pass?: string;
  /** The pass that is looked at and changed. */
  readonly open?: string;
};

export const page = definePage<PhonesSearch>({
  id: "phones",
  path: "phones",
  group: "passes",
  order: 40,
  title: { en: "Virtual phones", fr: "Téléphones virtuels" },
  keywords: {
    en: "simulator iphone android install wallet try notification",
    fr: "simulateur iphone android installer portefeuille essayer notification",
  },
  icon: IconDeviceMobile,
  letter: "v",
  needs: "pass.list",
  search: ["pass", "open"],
});
