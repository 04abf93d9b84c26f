import { ActionIcon, Button, Fieldset, NativeSelect, Stack, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useWords } from "../../words/language.ts";
import classes from "./form.module.css";
import { newRow, type ValueKind, type ValueRow } from "./value-rows.ts";
import { words } from "./words.ts";

type Props = {
  readonly label: string;
  readonly description?: ReactNode;
  readonly rows: readonly ValueRow[];
  readonly onChange: (rows: readonly ValueRow[]) => void;
  /** Names to choose from; others can be typed. */
  readonly names?: readonly string[];
  /** Without kinds, every value is a text. */
  readonly kinds?: readonly ValueKind[];
  /** What the API says of a member, by its name. */
  readonly problems?: Readonly<Record<string, string>>;
};

/** The members of an object as rows: a name, a kind and a value each. */
export function ValueRowsInput(props: Props) {
  const { label, description, rows, onChange, names = [], kinds = [], problems = {} } = props;
  const w = useWords(words);
  const list = `names-${label}`.replace(/\W+/g, "-");
  const change = (key: string, part: Partial<ValueRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  return (
    <Fieldset legend={label} variant="unstyled" classNames={{ legend: classes.legend ?? "" }}>
      <Stack gap="xs">
        {description !== undefined && <div className={classes.hint}>{description}</div>}
        {rows.map((row) => (
          <Row
            key={row.key}
            row={row}
            kinds={kinds}
            list={list}
            problem={problems[row.name]}
            onChange={(part) => change(row.key, part)}
            onRemove={() => onChange(rows.filter(({ key }) => key !== row.key))}
          />
        ))}
        <datalist id={list}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <div>
          <Button
            size="compact-sm"
            variant="light"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...rows, newRow()])}
          >
            {w.addRow}
          </Button>
        </div>
      </Stack>
    </Fieldset>
  );
}

type RowProps = {
  readonly row: ValueRow;
  readonly kinds: readonly ValueKind[];
  readonly list: string;
  readonly problem: string | undefined;
  readonly onChange: (part: Partial<ValueRow>) => void;
  readonly onRemove: () => void;
};

function Row({ row, kinds, list, problem, onChange, onRemove }: RowProps) {
  const w = useWords(words);
  const labels = {
    text: w.text,
    number: w.number,
    truth: w.truth,
    json: w.json,
    nothing: w.nothing,
  };
  return (
    <div className={classes.row} data-kinds={kinds.length > 0 || undefined}>
      <TextInput
        aria-label={w.rowName}
        placeholder={w.rowName}
        value={row.name}
        list={list}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autoComplete="off"
      />
      {kinds.length > 0 && (
        <NativeSelect
          aria-label={`${w.rowKind} ${row.name}`}
          value={row.kind}
          onChange={(event) => onChange({ kind: event.currentTarget.value as ValueKind })}
          data={kinds.map((kind) => ({ value: kind, label: labels[kind] }))}
        />
      )}
      <Value row={row} problem={problem} onChange={(text) => onChange({ text })} />
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        onClick={onRemove}
        aria-label={w.removeRow(row.name)}
      >
        <IconX size={16} />
      </ActionIcon>
    </div>
  );
}

type ValueProps = {
  readonly row: ValueRow;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
};

function Value({ row, problem, onChange }: ValueProps) {
  const w = useWords(words);
  const label = `${w.rowValue} ${row.name}`.trim();
  if (row.kind === "truth") {
    return (
      <NativeSelect
        aria-label={label}
        error={problem}
        value={row.text === "true" ? "true" : "false"}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={[
          { value: "true", label: w.yes },
          { value: "false", label: w.no },
        ]}
      />
    );
  }
  return (
    <TextInput
      aria-label={label}
      placeholder={w.rowValue}
      error={problem}
      value={row.kind === "nothing" ? "" : row.text}
      disabled={row.kind === "nothing"}
      inputMode={row.kind === "number" ? "decimal" : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
    />
  );
}
