import { Button, Tooltip } from "@mantine/core";
import {
  IconBan,
  IconCircleCheck,
  IconMessage,
  IconPencil,
  IconRefresh,
} from "@tabler/icons-react";
import { useState } from "react";
import type { ListPage } from "../api/client.ts";
import type { Filter } from "../api/list-query.ts";
import { useGoTo, useTenantId } from "../navigation.tsx";
import type { Search } from "../page.ts";
import { pageById } from "../pages.ts";
import { confirm } from "../parts/confirm.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { ChangeDataDialog, NOTIFIED_MAX, NotifyDialog } from "./bulk-dialogs.tsx";
import { changePasses, type Pass, type PassChange, type Selection } from "./pass.ts";
import classes from "./passes.module.css";
import { words } from "./words.ts";

type Props = {
  readonly picked: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly loaded: readonly Pass[];
  readonly first: ListPage<Pass> | undefined;
  readonly filters: readonly Filter[];
  readonly onPick: (ids: Iterable<string>) => void;
  readonly onPickAll: () => void;
};

const ICON = { size: 16, stroke: 1.6 };

/** What one can do with the passes that are ticked, or with all that fit the filter. */
export function BulkBar(props: Props) {
  const { picked, isAll, loaded, first, filters, onPick, onPickAll } = props;
  const w = useWords(words);
  const format = useFormat();
  const [opened, setOpened] = useState<"data" | "notify">();
  const total = first?.total ?? loaded.length;
  const count = isAll ? total : picked.size;
  const openJob = useOpenJob();
  const ask = useBulkQuestion();
  if (count === 0) return undefined;
  const selection: Selection = isAll
    ? { by: "filter", filters, total }
    : { by: "ids", passIds: [...picked] };
  const shown = format.number(count);
  const mayNotify = !isAll && picked.size <= NOTIFIED_MAX;
  return (
    <section className={classes.bulk} aria-label={w.selected(shown)}>
      <span className={classes.bulkText}>{isAll ? w.allSelected(shown) : w.selected(shown)}</span>
      {!isAll && picked.size < loaded.length && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => onPick(loaded.map(({ id }) => id))}
        >
          {w.selectShown}
        </Button>
      )}
      {!isAll && total > picked.size && (
        <Button size="compact-sm" variant="subtle" onClick={onPickAll}>
          {w.selectAll(format.number(total))}
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onPick([])}>
        {w.unselect}
      </Button>
      <ScopedButton
        operation="pass.update-many"
        size="xs"
        variant="default"
        leftSection={<IconPencil {...ICON} />}
        onClick={() => setOpened("data")}
      >
        {w.changeData}
      </ScopedButton>
      <Tooltip label={w.notifyOnly(format.number(NOTIFIED_MAX))} disabled={mayNotify}>
        <span>
          <ScopedButton
            operation="pass.notify"
            size="xs"
            variant="default"
            disabled={!mayNotify}
            leftSection={<IconMessage {...ICON} />}
            onClick={() => setOpened("notify")}
          >
            {w.notify}
          </ScopedButton>
        </span>
      </Tooltip>
      <ScopedButton
        operation="pass.update-many"
        size="xs"
        variant="default"
        leftSection={<IconBan {...ICON} />}
        onClick={() =>
          ask(selection, w.disableTitle(shown), w.disableText, w.disable, { status: "disabled" })
        }
      >
        {w.disable}
      </ScopedButton>
      <ScopedButton
        operation="pass.update-many"
        size="xs"
        variant="default"
        leftSection={<IconCircleCheck {...ICON} />}
        onClick={() =>
          ask(selection, w.enableTitle(shown), w.enableText, w.enable, { status: "active" })
        }
      >
        {w.enable}
      </ScopedButton>
      <ScopedButton
        operation="pass.update-many"
        size="xs"
        variant="default"
        leftSection={<IconRefresh {...ICON} />}
        onClick={() => ask(selection, w.refreshTitle(shown), w.refreshHint, w.refresh, {}, true)}
      >
        {w.refresh}
      </ScopedButton>
      {opened === "data" && (
        <ChangeDataDialog
          selection={selection}
          count={shown}
          names={namesOf(loaded)}
          onClose={() => setOpened(undefined)}
          onJob={openJob}
        />
      )}
      {opened === "notify" && selection.by === "ids" && (
        <NotifyDialog passIds={selection.passIds} onClose={() => setOpened(undefined)} />
      )}
    </section>
  );
}

const namesOf = (passes: readonly Pass[]): readonly string[] => [
  ...new Set(passes.flatMap(({ additionalData }) => Object.keys(additionalData ?? {}))),
];

/** Leads to the live page of a job. */
function useOpenJob(): (jobId: string) => void {
  const goTo = useGoTo();
  return (jobId) => {
    const page = pageById("jobs");
    if (page !== undefined) goTo(page, { job: jobId } as Search);
  };
}

function useBulkQuestion() {
  const tenantId = useTenantId();
  const openJob = useOpenJob();
  return (
    selection: Selection,
    title: string,
    text: string,
    verb: string,
    change: PassChange,
    isRefresh = false,
  ) =>
    confirm({
      title,
      text,
      verb,
      act: async () => {
        const options = isRefresh ? { UpdateMetadata: true } : {};
        openJob(await changePasses(tenantId, selection, change, options));
      },
    });
}
