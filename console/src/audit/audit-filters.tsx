import { Button, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconFilterOff } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { usePageSearch } from "../navigation.tsx";
import { useWords } from "../words/language.ts";
import classes from "./audit.module.css";
import { hasFilters } from "./entry.ts";
import { type AuditSearch, page } from "./page.ts";
import { words } from "./words.ts";

const TYPING_MS = 250;

export const NO_FILTERS = {
  who: undefined,
  what: undefined,
  from: undefined,
  until: undefined,
  request: undefined,
} as Partial<AuditSearch>;

/** Who, what and when. They stand in the address, so a link shows the same entries to somebody else. */
export function AuditFilters() {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  const day = (name: "from" | "until") => ({
    type: "date",
    value: search[name] ?? "",
    onChange: (event: { currentTarget: HTMLInputElement }) =>
      setSearch({ [name]: event.currentTarget.value || undefined }),
  });
  return (
    <search className={classes.filters}>
      <Typed name="who" label={w.who} placeholder={w.whoHint} />
      <Typed name="what" label={w.what} placeholder={w.whatHint} />
      <TextInput label={w.from} max={search.until} {...day("from")} />
      <TextInput label={w.until} min={search.from} {...day("until")} />
      <Button
        variant="default"
        leftSection={<IconFilterOff size={16} stroke={1.6} />}
        disabled={!hasFilters(search)}
        onClick={() => setSearch(NO_FILTERS)}
      >
        {w.clear}
      </Button>
    </search>
  );
}

type TypedProps = {
  readonly name: "who" | "what";
  readonly label: string;
  readonly placeholder: string;
};

function Typed({ name, label, placeholder }: TypedProps) {
  const [search, setSearch] = usePageSearch(page);
  const said = search[name] ?? "";
  const [typed, setTyped] = useState(said);
  const send = useDebouncedCallback(
    (text: string) => setSearch({ [name]: text === "" ? undefined : text }),
    TYPING_MS,
  );
  // Filters are also cleared, and set by links of entries.
  useEffect(() => setTyped(said), [said]);
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typed}
      autoComplete="off"
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        send(event.currentTarget.value);
      }}
    />
  );
}
