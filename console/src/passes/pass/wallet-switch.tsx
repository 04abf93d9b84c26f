import { SegmentedControl } from "@mantine/core";
import { useWords } from "../../words/language.ts";
import { WALLET_NAMES } from "../wallet-names.ts";
import { words } from "./words.ts";

export type WalletName = "apple" | "google";

type Props = { readonly value: WalletName; readonly onChange: (wallet: WalletName) => void };

export function WalletSwitch({ value, onChange }: Props) {
  const w = useWords(words);
  return (
    <SegmentedControl
      size="xs"
      mb="sm"
      aria-label={w.wallet}
      value={value}
      onChange={(next) => onChange(next as WalletName)}
      data={[
        { value: "apple", label: WALLET_NAMES.apple },
        { value: "google", label: WALLET_NAMES.google },
      ]}
    />
  );
}
