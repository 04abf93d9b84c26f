import { IconLock } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type SecretSearch = {
  readonly q?: string;
  readonly sort?: string;
  /** `yes` while a secret is being stored. */
  readonly new?: string;
  /** The key whose value is being replaced. */
  readonly replace?: string;
};

export const page = definePage<SecretSearch>({
  id: "secrets",
  path: "settings/secrets",
  group: "security",
  order: 30,
  title: { en: "Secrets", fr: "Secrets" },
  keywords: {
    en: "password token certificate value vault encrypted",
    fr: "mot de passe jeton certificat valeur coffre chiffré",
  },
  icon: IconLock,
  letter: "s",
  needs: "secret.list",
  search: ["q", "sort", "new", "replace"],
});
