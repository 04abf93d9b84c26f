import { IconTemplate } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type TemplatesSearch = {
  /** The path of the file in the editor. */
  readonly file?: string;
  /** The pass type of the preview. */
  readonly type?: string;
  /** `changes` or `history`, while that dialog is open. */
  readonly show?: string;
};

export const page = definePage<TemplatesSearch>({
  id: "templates",
  path: "templates",
  group: "design",
  order: 10,
  title: { en: "Templates and files", fr: "Modèles et fichiers" },
  keywords: {
    en: "configuration yaml editor preview publish draft history rollback zip design",
    fr: "configuration yaml éditeur aperçu publier brouillon historique retour zip design",
  },
  icon: IconTemplate,
  letter: "t",
  needs: "tenant.get",
  search: ["file", "type", "show"],
});
