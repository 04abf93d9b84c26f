import { IconAppWindow } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type OAuthClientSearch = {
  readonly q?: string;
  readonly sort?: string;
  /** `yes` while a client is being registered. */
  readonly new?: string;
  /** The id of the client that is being changed. */
  readonly edit?: string;
};

export const page = definePage<OAuthClientSearch>({
  id: "oauth-clients",
  path: "settings/oauth-clients",
  group: "platform",
  order: 20,
  title: { en: "OAuth clients", fr: "Clients OAuth" },
  keywords: {
    en: "program application sign-in redirect openid pkce",
    fr: "programme application connexion redirection openid pkce",
  },
  icon: IconAppWindow,
  needs: "oauth-client.list",
  search: ["q", "sort", "new", "edit"],
});
