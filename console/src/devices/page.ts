import { IconDeviceMobile } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type DeviceSearch = {
  readonly q?: string;
  readonly sort?: string;
  /** `yes` while a device is being registered. */
  readonly new?: string;
  /** The id of the device whose details are shown. */
  readonly device?: string;
  /** The id of the device that is being changed. */
  readonly edit?: string;
  /** The id of the device that is being paired. */
  readonly pair?: string;
};

export const page = definePage<DeviceSearch>({
  id: "devices",
  path: "devices",
  group: "doors",
  order: 10,
  title: { en: "Devices", fr: "Appareils" },
  keywords: {
    en: "scanner reader gate till door pairing phone",
    fr: "lecteur scanner portique caisse porte appairage téléphone",
  },
  icon: IconDeviceMobile,
  letter: "d",
  needs: "device.list",
  search: ["q", "sort", "new", "device", "edit", "pair"],
});
