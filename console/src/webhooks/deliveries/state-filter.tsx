import { SegmentedControl } from "@mantine/core";
import { useWords } from "../../words/language.ts";
import { STATES } from "./delivery.ts";
import { words } from "./words.ts";

type Props = {
  /** As it stands in the address. */
  readonly state: string | undefined;
  readonly onChange: (state: string | undefined) => void;
};

export function StateFilter({ state, onChange }: Props) {
  const w = useWords(words);
  return (
    <SegmentedControl
      aria-label={w.stateFilter}
      data={[{ value: "", label: w.all }, ...STATES.map((value) => ({ value, label: w[value] }))]}
      value={state ?? ""}
      onChange={(value) => onChange(value === "" ? undefined : value)}
    />
  );
}
