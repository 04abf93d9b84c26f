import { IconQrcode } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type EnrolmentLinkSearch = {
  readonly q?: string;
  readonly sort?: string;
  /** `yes` while a link is being made. */
  readonly new?: string;
  /** The code of the link whose details are shown. */
  readonly link?: string;
  /** The code of the link that is being changed. */
  readonly edit?: string;
};

export const page = definePage<EnrolmentLinkSearch>({
  id: "enrolment-links",
  path: "enrolment-links",
  group: "passes",
  order: 30,
  title: { en: "Enrolment links", fr: "Liens d’inscription" },
  keywords: {
    en: "form sign up join poster qr campaign",
    fr: "formulaire adhérer affiche qr campagne",
  },
  icon: IconQrcode,
  needs: "enrolment-link.list",
  search: ["q", "sort", "new", "link", "edit"],
});
