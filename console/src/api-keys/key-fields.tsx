import { Group, Select, Stack, TextInput } from "@mantine/core";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { ScopePicker } from "./scope-picker.tsx";
import type { ScopeName } from "./scopes.ts";
import { words } from "./words.ts";

const DAY_MS = 86_400_000;
const PRESET_DAYS = ["30", "90", "365"];

/** What a person chooses for a key, as the fields hold it. */
export type KeyValues = {
  name: string;
  scopes: ScopeName[];
  /** `never`, a number of days, `day`, or `keep` for a key that has an expiry. */
  ending: string;
  /** For `day`: a date of the calendar. */
  day: string;
};

export const NEW_KEY: KeyValues = { name: "", scopes: [], ending: "never", day: "" };

/** The moment that the fields mean; undefined if it stays as it is. */
export function expiryOf({ ending, day }: KeyValues): string | null | undefined {
  if (ending === "keep") return undefined;
  if (ending === "never") return null;
  // The end of that day, where the person is.
  if (ending === "day") return day === "" ? "" : new Date(`${day}T23:59:59`).toISOString();
  return new Date(Date.now() + Number(ending) * DAY_MS).toISOString();
}

type Props = {
  readonly values: KeyValues;
  readonly field: (name: keyof KeyValues) => object;
  readonly onScopes: (scopes: ScopeName[]) => void;
  readonly present?: string | null;
};

/** The fields for a key that is created or changed. */
export function KeyFields({ values, field, onScopes, present }: Props) {
  const w = useWords(words);
  const { error } = field("scopes") as { error?: string };
  return (
    <Stack gap="lg">
      <TextInput
        label={w.name}
        description={w.nameHint}
        required
        maxLength={64}
        autoComplete="off"
        data-autofocus
        {...field("name")}
      />
      <ScopePicker chosen={values.scopes} onChange={onScopes} error={error} />
      <EndingFields values={values} field={field} present={present} />
    </Stack>
  );
}

export function EndingFields({ values, field, present }: Omit<Props, "onScopes">) {
  const w = useWords(words);
  const format = useFormat();
  const labels = [w.in30, w.in90, w.in365];
  const data = [
    ...(present ? [{ value: "keep", label: w.keepExpiry(format.day(present)) }] : []),
    { value: "never", label: w.never },
    ...PRESET_DAYS.map((value, at) => ({ value, label: labels[at] ?? value })),
    { value: "day", label: w.onDay },
  ];
  return (
    <Group align="flex-end" grow>
      <Select label={w.expires} data={data} allowDeselect={false} {...field("ending")} />
      {values.ending === "day" && (
        <TextInput
          type="date"
          label={w.day}
          required
          min={new Date().toISOString().slice(0, 10)}
          {...field("day")}
        />
      )}
    </Group>
  );
}
