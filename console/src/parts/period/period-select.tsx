import { Select } from "@mantine/core";
import { useWords } from "../../words/language.ts";
import { DAYS, sinceOf } from "./since.ts";
import { words } from "./words.ts";

type Props = {
  /** As it stands in the address. */
  readonly days: string | undefined;
  readonly onChange: (days: string | undefined) => void;
  readonly className?: string | undefined;
  /** With its name above it, where other fields have theirs there. */
  readonly isNamed?: boolean;
};

/** How far back a list looks. */
export function PeriodSelect({ days, onChange, className = "", isNamed = false }: Props) {
  const w = useWords(words);
  const isUsual = days === undefined || DAYS.some((usual) => usual === days);
  // An address can name any number of days.
  const choices = isUsual || sinceOf(days) === undefined ? DAYS : [...DAYS, days];
  return (
    <Select
      className={className}
      {...(isNamed ? { label: w.period } : { "aria-label": w.period })}
      placeholder={w.anyTime}
      clearable
      data={choices.map((value) => ({ value, label: w.lastDays(value) }))}
      value={days ?? null}
      onChange={(value) => onChange(value ?? undefined)}
    />
  );
}
