import { useLanguage } from "./language.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const STEPS: readonly (readonly [number, number, Intl.RelativeTimeFormatUnit])[] = [
  [MINUTE, 1, "second"],
  [HOUR, MINUTE, "minute"],
  [DAY, HOUR, "hour"],
  [MONTH, DAY, "day"],
  [365 * DAY, MONTH, "month"],
  [Number.POSITIVE_INFINITY, 365 * DAY, "year"],
];

/** A format takes far longer to make than to use, and a list uses the same one in every row. */
function onceFor<Format>(make: (language: string) => Format): (language: string) => Format {
  const made = new Map<string, Format>();
  return (language) => {
    const format = made.get(language) ?? make(language);
    made.set(language, format);
    return format;
  };
}

/** As many digits as the ledger keeps. */
const numberIn = onceFor(
  (language) => new Intl.NumberFormat(language, { maximumFractionDigits: 4 }),
);
const percentIn = onceFor(
  (language) => new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 }),
);
const dayIn = onceFor((language) => new Intl.DateTimeFormat(language, { dateStyle: "medium" }));
const momentIn = onceFor(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }),
);
const relativeIn = onceFor(
  (language) => new Intl.RelativeTimeFormat(language, { numeric: "auto" }),
);

function agoIn(language: string, iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1_000;
  const [, length, unit] = STEPS.find(([below]) => Math.abs(seconds) < below) ?? STEPS[0] ?? [];
  return relativeIn(language).format(Math.round(seconds / (length ?? 1)), unit ?? "second");
}

const formatIn = onceFor((language) => ({
  number: (value: number) => numberIn(language).format(value),
  percent: (share: number) => percentIn(language).format(share),
  day: (iso: string) => dayIn(language).format(new Date(iso)),
  moment: (iso: string) => momentIn(language).format(new Date(iso)),
  ago: (iso: string) => agoIn(language, iso),
}));

/** Numbers and times as the language of the person writes them: the same object for each language. */
export function useFormat() {
  return formatIn(useLanguage());
}
