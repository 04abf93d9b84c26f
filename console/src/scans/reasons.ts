import { useCallback } from "react";
import { useWords } from "../words/language.ts";
import type { Scan } from "./scan.ts";
import { words } from "./words.ts";

type Reason = NonNullable<Scan["reason"]>;
type Told = { readonly short: string; readonly long: string };

/** Why a scan was rejected, in few words and in a sentence. */
export function useReasons(): (reason: Scan["reason"]) => Told {
  const w = useWords(words);
  const told: Readonly<Record<Reason, Told>> = {
    "unknown-code": { short: w.shortUnknownCode, long: w.reasonUnknownCode },
    disabled: { short: w.shortDisabled, long: w.reasonDisabled },
    expired: { short: w.shortExpired, long: w.reasonExpired },
    "not-yet-valid": { short: w.shortNotYetValid, long: w.reasonNotYetValid },
    "already-redeemed": { short: w.shortAlreadyRedeemed, long: w.reasonAlreadyRedeemed },
    "insufficient-value": { short: w.shortInsufficientValue, long: w.reasonInsufficientValue },
    "unknown-privilege": { short: w.shortUnknownPrivilege, long: w.reasonUnknownPrivilege },
    "locked-privilege": { short: w.shortLockedPrivilege, long: w.reasonLockedPrivilege },
    "wrong-pass-type": { short: w.shortWrongPassType, long: w.reasonWrongPassType },
  };
  return (reason) =>
    reason === null
      ? { short: "", long: w.welcome }
      : (told[reason] ?? { short: reason, long: reason });
}

const KINDS: Readonly<Record<string, string>> = {
  qrcode: "QR",
  pdf417: "PDF417",
  code128: "Code 128",
  ean13: "EAN-13",
  datamatrix: "Data Matrix",
  aztec: "Aztec",
};

export function useKind(): (type: Scan["type"]) => string {
  const w = useWords(words);
  return useCallback(
    (type) => (type === "manual" ? w.manual : type === "nfc" ? w.nfc : (KINDS[type] ?? type)),
    [w],
  );
}
