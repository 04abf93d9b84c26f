import { IconLayoutDashboard } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type OverviewSearch = {
  /** How many days the numbers look back. */
  readonly days?: string;
};

export const page = definePage<OverviewSearch>({
  id: "overview",
  path: "",
  group: "overview",
  order: 0,
  title: { en: "Overview", fr: "Aperçu" },
  keywords: { en: "start home numbers dashboard", fr: "accueil chiffres tableau de bord" },
  icon: IconLayoutDashboard,
  letter: "o",
  search: ["days"],
});
