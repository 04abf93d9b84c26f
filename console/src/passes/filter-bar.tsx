import { Button, NativeSelect, TextInput } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { useTenantId } from "../navigation.tsx";
import { usePassTypes } from "../parts/pass-types.ts";
import { useWords } from "../words/language.ts";
import type { PassesSearch } from "./page.ts";
import classes from "./passes.module.css";
import { words } from "./words.ts";

type Props = {
  readonly search: Partial<PassesSearch>;
  readonly onSearch: (change: Partial<PassesSearch>) => void;
  /** The fields that the text can be sought in. */
  readonly fields: readonly string[];
  readonly field: string;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
};

/** The filters beside the text. All of them stand in the address. */
export function FilterBar({ search, onSearch, fields, field, isFiltered, onClear }: Props) {
  const w = useWords(words);
  const types = usePassTypes(useTenantId());
  const fieldName = useFieldName();
  const choice = (value: string) => (value === "" ? undefined : value);
  const known = search.type === undefined || types.includes(search.type) ? [] : [search.type];
  return (
    <div className={classes.filters}>
      <NativeSelect
        label={w.searchIn}
        value={field}
        onChange={(event) => onSearch({ in: event.currentTarget.value })}
        data={[...new Set(["id", ...fields, field])].map((name) => ({
          value: name,
          label: fieldName(name),
        }))}
      />
      <NativeSelect
        label={w.status}
        value={search.status ?? ""}
        onChange={(event) => onSearch({ status: choice(event.currentTarget.value) })}
        data={[
          { value: "", label: w.anyStatus },
          { value: "active", label: w.active },
          { value: "disabled", label: w.disabled },
          { value: "expired", label: w.expired },
        ]}
      />
      <NativeSelect
        label={w.installation}
        value={search.installed ?? ""}
        onChange={(event) => onSearch({ installed: choice(event.currentTarget.value) })}
        data={[
          { value: "", label: w.anyInstallation },
          { value: "installed", label: w.installed },
          { value: "uninstalled", label: w.uninstalled },
          { value: "none", label: w.none },
        ]}
      />
      <NativeSelect
        label={w.passType}
        value={search.type ?? ""}
        onChange={(event) => onSearch({ type: choice(event.currentTarget.value) })}
        data={[{ value: "", label: w.anyType }, ...[...types, ...known].map(asOption)]}
      />
      <CreatedFilter search={search} onSearch={onSearch} />
      {isFiltered && (
        <Button
          variant="subtle"
          leftSection={<IconFilterOff size={16} stroke={1.6} />}
          onClick={onClear}
        >
          {w.clear}
        </Button>
      )}
    </div>
  );
}

const asOption = (value: string) => ({ value, label: value });
const BETWEEN = "between";

function CreatedFilter({ search, onSearch }: Pick<Props, "search" | "onSearch">) {
  const w = useWords(words);
  const isBetween = search.from !== undefined || search.to !== undefined;
  const choose = (value: string) => {
    if (value === BETWEEN) {
      const day = new Date().toISOString().slice(0, 10);
      return onSearch({ days: undefined, from: day, to: day });
    }
    onSearch({ days: value === "" ? undefined : value, from: undefined, to: undefined });
  };
  const days = search.days ?? "";
  const usual = ["", "1", "7", "30", "90"];
  return (
    <>
      <NativeSelect
        label={w.created}
        value={isBetween ? BETWEEN : days}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[
          { value: "", label: w.anyTime },
          { value: "1", label: w.today },
          { value: "7", label: w.week },
          { value: "30", label: w.month },
          { value: "90", label: w.quarter },
          ...(usual.includes(days) ? [] : [asOption(days)]),
          { value: BETWEEN, label: w.between },
        ]}
      />
      {isBetween && (
        <>
          <TextInput
            type="date"
            label={w.from}
            value={search.from ?? ""}
            onChange={(event) => onSearch({ from: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            label={w.to}
            value={search.to ?? ""}
            onChange={(event) => onSearch({ to: event.currentTarget.value })}
          />
        </>
      )}
    </>
  );
}

/** What people call a field of a pass. */
export function useFieldName(): (field: string) => string {
  const w = useWords(words);
  return (field) => {
    const [, family, name = ""] = /^(identifiers|additionalData)\.(.+)$/.exec(field) ?? [];
    if (family === "identifiers") return w.identifier(name);
    return family === undefined ? w.passId : w.data(name);
  };
}
