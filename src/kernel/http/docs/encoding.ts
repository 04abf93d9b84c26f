export type Encoding = "br" | "gzip" | "identity";

/** The smallest form the caller takes. `q=0` is a refusal; other qualities do not matter to us. */
export function chooseEncoding(header: string | undefined): Encoding {
  const accepted = new Set(
    (header ?? "")
      .toLowerCase()
      .split(",")
      .map((part) => part.trim())
      .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
      .map((part) => part.split(";", 1)[0]?.trim()),
  );
  if (accepted.has("br")) return "br";
  return accepted.has("gzip") ? "gzip" : "identity";
}
