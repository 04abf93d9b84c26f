import { IconKey } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type ApiKeySearch = {
  readonly q?: string;
  readonly sort?: string;
  /** `yes` while a key is being created. */
  readonly new?: string;
  /** The name of the key that is being changed. */
  readonly edit?: string;
  /** The name of the key that is being replaced, and of its replacement once it exists. */
  readonly rotate?: string;
  readonly with?: string;
};

export const page = definePage<ApiKeySearch>({
  id: "api-keys",
  path: "settings/api-keys",
  group: "security",
  order: 10,
  title: { en: "API keys", fr: "Clés d’API" },
  keywords: { en: "token secret scope rotate revoke", fr: "jeton secret droit rotation révoquer" },
  icon: IconKey,
  letter: "k",
  needs: "api-key.list",
  search: ["q", "sort", "new", "edit", "rotate", "with"],
});
