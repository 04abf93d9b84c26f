import { IconHistory } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type AuditSearch = {
  /** A part of what was changed, such as `api-key:till`. */
  readonly q?: string;
  readonly sort?: string;
  /** A part of who did it. */
  readonly who?: string;
  /** The beginning of what was done, such as `api-key.` or `secret.get`. */
  readonly what?: string;
  /** Days of the calendar, both of them included. */
  readonly from?: string;
  readonly until?: string;
  /** All that belongs to one request. */
  readonly request?: string;
  /** `all` for the whole installation. */
  readonly scope?: string;
  /** The id of the entry that is open. */
  readonly entry?: string;
};

export const page = definePage<AuditSearch>({
  id: "audit",
  path: "settings/audit",
  group: "security",
  order: 40,
  title: { en: "Audit log", fr: "Journal d’audit" },
  keywords: { en: "who changed history trail log", fr: "qui a modifié historique traces" },
  icon: IconHistory,
  letter: "a",
  needs: "audit.list",
  search: ["q", "sort", "who", "what", "from", "until", "request", "scope", "entry"],
});
