import { IconUsersGroup } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type AdministratorSearch = {
  readonly q?: string;
  readonly sort?: string;
  /** `yes` while somebody is being invited. */
  readonly new?: string;
  /** The id of the administrator who is being changed. */
  readonly edit?: string;
};

export const page = definePage<AdministratorSearch>({
  id: "administrators",
  path: "settings/administrators",
  group: "security",
  order: 20,
  title: { en: "Administrators", fr: "Administrateurs" },
  keywords: { en: "people invite role user account", fr: "personnes inviter rôle compte équipe" },
  icon: IconUsersGroup,
  needs: "administrator.list",
  search: ["q", "sort", "new", "edit"],
});
