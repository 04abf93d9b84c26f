import { Badge, Group, Loader, NativeSelect } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { curlOf } from "../api/curl.ts";
import { usePageSearch } from "../navigation.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { PassPreview } from "../parts/pass-preview/pass-preview.tsx";
import type { Finding } from "../parts/pass-preview/shapes.ts";
import { ScopedButton } from "../parts/scoped.tsx";
import { useWords } from "../words/language.ts";
import { ChangesDialog } from "./changes-dialog.tsx";
import { passTypeOf, passTypesIn } from "./configuration.ts";
import { EditorPane } from "./editor-pane.tsx";
import { NewFileDialog } from "./file-dialogs.tsx";
import { FileTree } from "./file-tree.tsx";
import { FindingsList } from "./findings-list.tsx";
import { HeadActions } from "./head-actions.tsx";
import { HistoryDialog } from "./history-dialog.tsx";
import { page } from "./page.ts";
import classes from "./templates.module.css";
import { useTrial } from "./use-trial.ts";
import { useWorkingSet, type WorkingSet } from "./use-working-set.ts";
import { words } from "./words.ts";

export function Page() {
  const w = useWords(words);
  const working = useWorkingSet();
  const [search, setSearch] = usePageSearch(page);
  const [isNaming, setNaming] = useState(false);
  const open = useCallback(
    (path: string | undefined) => setSearch({ file: path }, { isStep: true }),
    [setSearch],
  );
  const close = () => setSearch({ show: undefined });
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={
          <>
            <CurlIcon method="GET" path={`/api/tenants/${working.tenantId}`} />
            <HeadActions
              working={working}
              onNewFile={() => setNaming(true)}
              onOpen={open}
              onShow={(show) => setSearch({ show }, { isStep: true })}
            />
          </>
        }
      />
      <ErrorDisplay error={working.error} onRetry={working.retry} />
      {working.isLoaded ? (
        <Studio working={working} onOpen={open} onNewFile={() => setNaming(true)} />
      ) : (
        working.error === null && <Loader type="dots" />
      )}
      {isNaming && (
        <NewFileDialog
          taken={(path) => working.files[path] !== undefined}
          onClose={() => setNaming(false)}
          onCreate={(path, content) => {
            working.edit(path, content);
            open(path);
          }}
        />
      )}
      {working.isLoaded && search.show === "changes" && (
        <ChangesDialog working={working} onClose={close} />
      )}
      {working.isLoaded && search.show === "history" && (
        <HistoryDialog working={working} onClose={close} />
      )}
    </>
  );
}

type StudioProps = {
  readonly working: WorkingSet;
  readonly onOpen: (path: string | undefined) => void;
  readonly onNewFile: () => void;
};

/** Files on the left, the one that is opened in the middle, what it gives on the right. */
function Studio({ working, onOpen, onNewFile }: StudioProps) {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  const [target, setTarget] = useState<{ line: number; column: number }>();
  const { files } = working;
  const types = passTypesIn(files);
  const first = types[0] === undefined ? undefined : `server/passes/${types[0]}.yml`;
  const wished = search.file ?? first ?? "tenant.yml";
  const path = files[wished] === undefined ? undefined : wished;
  const ofFile = passTypeOf(path ?? "");
  const passType = [ofFile, search.type, types[0]].find((type) => types.includes(type ?? ""));
  const trial = useTrial(working, passType);
  const findings = working.tested ?? trial.findings;
  const openFinding = ({ file, line, column }: Finding) => {
    if (files[file] !== undefined) onOpen(file);
    setTarget({ line: line ?? 1, column: column ?? 1 });
  };
  const choose = (type: string) =>
    setSearch({ type, ...(ofFile === undefined ? {} : { file: `server/passes/${type}.yml` }) });
  return (
    <div className={classes.studio}>
      <div className={classes.side}>
        <State working={working} />
        <FileTree
          files={files}
          changes={working.changes}
          findings={findings}
          opened={path}
          onOpen={onOpen}
        />
        <ScopedButton
          operation="tenant.patch"
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          onClick={onNewFile}
        >
          {w.newFile}
        </ScopedButton>
      </div>
      <div className={classes.middle}>
        <div className={classes.pane}>
          <EditorPane
            working={working}
            path={path}
            findings={findings}
            variables={trial.variables}
            target={target}
            onOpen={onOpen}
          />
        </div>
        <FindingsList
          findings={findings}
          isWhole={working.tested !== undefined}
          onOpen={openFinding}
        />
      </div>
      <aside className={classes.trial}>
        {passType === undefined ? (
          <NoTemplates tenantId={working.tenantId} onNewFile={onNewFile} />
        ) : (
          <>
            <Group gap="xs" wrap="nowrap" mb="xs">
              <NativeSelect
                size="xs"
                aria-label={w.preview}
                value={passType}
                data={types}
                onChange={(event) => choose(event.currentTarget.value)}
              />
              {trial.isFetching && <Loader size={14} role="status" aria-label={w.updating} />}
            </Group>
            <ErrorDisplay error={trial.error} />
            <PassPreview preview={trial.preview} wallets="one" />
          </>
        )}
      </aside>
    </div>
  );
}

/** Whether one looks at a draft, and what of it is not saved. */
function State({ working }: { working: WorkingSet }) {
  const w = useWords(words);
  const count = Object.keys(working.changes).length;
  return (
    <Group gap={6} mb="xs">
      {working.isDraft ? (
        <Badge variant="light" color="orange" tt="none">
          {w.draft}
        </Badge>
      ) : (
        <Badge variant="light" color="teal" tt="none">
          {w.inForce}
        </Badge>
      )}
      {count > 0 && (
        <Badge variant="light" color="blue" tt="none">
          {w.unsaved(count)}
        </Badge>
      )}
    </Group>
  );
}

function NoTemplates({ tenantId, onNewFile }: { tenantId: string; onNewFile: () => void }) {
  const w = useWords(words);
  const body = { files: { "server/passes/card.yml": "kind: generic\n…" } };
  return (
    <EmptyState
      icon={page.icon}
      title={w.noTemplates}
      text={w.noTemplatesText}
      action={
        <ScopedButton operation="tenant.patch" onClick={onNewFile}>
          {w.firstTemplate}
        </ScopedButton>
      }
      command={curlOf({ method: "PATCH", path: `/api/tenants/${tenantId}`, body })}
    />
  );
}
