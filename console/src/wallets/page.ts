import { IconCertificate } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type WalletSearch = {
  /** `certificate`, `request` or `account` while that dialog is open. */
  readonly dialog?: string;
};

export const page = definePage<WalletSearch>({
  id: "wallets",
  path: "settings/wallets",
  group: "settings",
  order: 10,
  title: { en: "Wallet credentials", fr: "Accès aux wallets" },
  keywords: {
    en: "apple google certificate csr p12 service account issuer expiry",
    fr: "apple google certificat csr p12 compte de service émetteur expiration",
  },
  icon: IconCertificate,
  needs: "wallet.get",
  search: ["dialog"],
});
