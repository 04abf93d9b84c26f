import { useLanguage } from "../../words/language.ts";

const SECOND_MS = 1_000;

/** `96 ms` or `1.2 s`, as the language of the person writes it. */
export function useDuration(): (ms: number) => string {
  const language = useLanguage();
  return (ms) => {
    const isShort = ms < SECOND_MS;
    const format = new Intl.NumberFormat(language, {
      style: "unit",
      unit: isShort ? "millisecond" : "second",
      maximumFractionDigits: isShort ? 0 : 1,
    });
    return format.format(isShort ? ms : ms / SECOND_MS);
  };
}
