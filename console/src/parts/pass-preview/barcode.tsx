import { useQuery } from "@tanstack/react-query";
import { useWords } from "../../words/language.ts";
import classes from "./pass-preview.module.css";
import type { BarcodeFormat, ShownBarcode } from "./shapes.ts";
import { words } from "./words.ts";

const NAMES: Readonly<Record<BarcodeFormat, string>> = {
  qr: "QR",
  pdf417: "PDF417",
  aztec: "Aztec",
  code128: "Code 128",
};

/** The code as the phone shows it: a scanner reads the same from the screen. */
export function Barcode({ barcode: { format, message, text } }: { barcode: ShownBarcode }) {
  const w = useWords(words);
  const { data: source, error } = useQuery({
    queryKey: ["barcode", format, message],
    queryFn: async () => (await import("./draw-barcode.ts")).drawBarcode(format, message),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <figure className={classes.barcode} data-format={format}>
      {error !== null && <span className={classes.barcodeProblem}>{w.noBarcode}</span>}
      {source !== undefined && (
        <img src={source} alt={w.barcode(NAMES[format], message)} data-barcode={message} />
      )}
      {text !== "" && <figcaption>{text}</figcaption>}
    </figure>
  );
}
