import { Button, Group, Modal, Text } from "@mantine/core";
import { IconListSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePageSearch } from "../navigation.tsx";
import { CopyIcon } from "../parts/copy.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { words as partWords } from "../parts/words.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import classes from "./audit.module.css";
import { NO_FILTERS } from "./audit-filters.tsx";
import { differenceOf, type Line } from "./difference.ts";
import { type AuditEntry, auditOf, findEntry, type Place } from "./entry.ts";
import { page } from "./page.ts";
import { words } from "./words.ts";

/** The entry that the address names. */
export function EntryDialog({ place }: { place: Place }) {
  const w = useWords(words);
  const parts = useWords(partWords);
  const [{ entry: id }, setSearch] = usePageSearch(page);
  const { data: entry, error } = useQuery({
    queryKey: [...auditOf(place), "one", id],
    queryFn: async () => (await findEntry(place, id ?? "")) ?? null,
    enabled: id !== undefined,
  });
  const isThere = entry !== undefined || error !== null;
  return (
    <Modal
      opened={id !== undefined && isThere}
      onClose={() => setSearch({ entry: undefined })}
      title={entry?.op ?? parts.details}
      size="xl"
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <ErrorDisplay error={error} />
      {entry === null && <Text>{w.noEntry}</Text>}
      {entry && (
        <>
          <Facts entry={entry} />
          <Difference lines={differenceOf(entry.before, entry.after)} />
        </>
      )}
    </Modal>
  );
}

function Facts({ entry }: { entry: AuditEntry }) {
  const w = useWords(words);
  const format = useFormat();
  const [, setSearch] = usePageSearch(page);
  const { at, actor, target, tenantId, requestId, ip } = entry;
  return (
    <dl className={classes.facts}>
      <dt>{w.when}</dt>
      <dd>
        {format.moment(at)} ({format.ago(at)})
      </dd>
      <dt>{w.who}</dt>
      <dd>{actor.id === actor.kind ? w[actor.kind] : `${actor.id} · ${w[actor.kind]}`}</dd>
      <dt>{w.target}</dt>
      <dd className={classes.mono}>{target}</dd>
      {tenantId && (
        <>
          <dt>{w.tenant}</dt>
          <dd>{tenantId}</dd>
        </>
      )}
      <dt>{w.ip}</dt>
      <dd>{ip === "" ? w.noIp : ip}</dd>
      <dt>{w.requestId}</dt>
      <dd>
        <Group gap={4}>
          <code className={classes.mono}>{requestId}</code>
          <CopyIcon value={requestId} />
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconListSearch size={14} />}
            onClick={() =>
              setSearch({ ...NO_FILTERS, q: undefined, request: requestId, entry: undefined })
            }
          >
            {w.sameRequest}
          </Button>
        </Group>
      </dd>
    </dl>
  );
}

function Difference({ lines }: { lines: readonly Line[] }) {
  const w = useWords(words);
  const [isAll, setAll] = useState(false);
  const different = lines.filter(({ kind }) => kind !== "same");
  const sameCount = lines.length - different.length;
  if (lines.length === 0) return <Text c="dimmed">{w.noRecord}</Text>;
  const shown = isAll ? lines : different;
  return (
    <>
      {different.length === 0 && (
        <Text c="dimmed" mb="sm">
          {w.noChange}
        </Text>
      )}
      {shown.length > 0 && (
        <table className={classes.difference}>
          <thead>
            <tr>
              <th scope="col">{w.field}</th>
              <th scope="col">{w.before}</th>
              <th scope="col">{w.after}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line) => (
              <tr key={line.path}>
                <th scope="row">
                  {line.path}
                  <span className={classes.kind}>{w[line.kind]}</span>
                </th>
                <Cell
                  label={w.before}
                  value={line.before}
                  mark={isSame(line) ? undefined : "old"}
                />
                <Cell label={w.after} value={line.after} mark={isSame(line) ? undefined : "new"} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {sameCount > 0 && (
        <Button mt="sm" size="xs" variant="default" onClick={() => setAll(!isAll)}>
          {isAll ? w.hideSame : w.showSame(sameCount)}
        </Button>
      )}
    </>
  );
}

const isSame = ({ kind }: Line): boolean => kind === "same";

type CellProps = {
  /** Shown where the table is too narrow for columns. */
  readonly label: string;
  readonly value: string | undefined;
  readonly mark: "old" | "new" | undefined;
};

/** Colours help to see it; the word under the name of the field says it. */
function Cell({ label, value, mark }: CellProps) {
  const w = useWords(words);
  if (value === undefined) {
    return (
      <td data-label={label} className={classes.nothing}>
        {w.nothing}
      </td>
    );
  }
  return (
    <td data-label={label} data-mark={mark}>
      {value}
    </td>
  );
}
