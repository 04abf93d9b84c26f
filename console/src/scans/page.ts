import { IconScan } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type ScanSearch = {
  /** A part of a location, or the id of a pass. */
  readonly q?: string;
  readonly sort?: string;
  readonly decision?: string;
  /** How many days the list looks back; all of them without it. */
  readonly days?: string;
  /** The id of a device. */
  readonly device?: string;
  /** The id of a pass. */
  readonly pass?: string;
  /** `yes`: only scans about which a device without network had decided otherwise. */
  readonly conflict?: string;
  /** The id of the scan whose details are shown. */
  readonly scan?: string;
  /** `yes` while somebody tries a scan. */
  readonly try?: string;
};

export const page = definePage<ScanSearch>({
  id: "scans",
  path: "scans",
  group: "doors",
  order: 20,
  title: { en: "Scans", fr: "Scans" },
  keywords: {
    en: "check in redeem accepted rejected door gate code",
    fr: "contrôle entrée accepté refusé porte code lecture",
  },
  icon: IconScan,
  letter: "n",
  needs: "scan.list",
  search: ["q", "sort", "decision", "days", "device", "pass", "conflict", "scan", "try"],
});
