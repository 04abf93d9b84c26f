import { Badge } from "@mantine/core";
import { useFormat } from "../words/format.ts";
import { useLanguage, useWords } from "../words/language.ts";
import { frenchSummary } from "./french-summary.ts";
import { type Execution, type State, stateOf, type Task } from "./task.ts";
import { words } from "./words.ts";

const COLORS: Readonly<Record<State, string>> = {
  waiting: "gray",
  running: "blue",
  succeeded: "teal",
  failed: "red",
};

export function RunState({ run }: { run: Execution }) {
  const w = useWords(words);
  const state = stateOf(run);
  return (
    <Badge color={COLORS[state]} variant="light" tt="none">
      {w[state]}
    </Badge>
  );
}

type RunSummaryProps = {
  readonly run: Execution;
  /** Shown until the run has ended. */
  readonly until: string;
};

/**
 * What a run did, in a sentence. The API's own words are English: they are kept for problems, and where there is
 * no sentence in the language of the person.
 */
export function RunSummary({ run, until }: RunSummaryProps) {
  const isFrench = useLanguage() === "fr";
  const format = useFormat();
  const own = run.problem?.message ?? run.summary;
  if (own === null) return until;
  const french = isFrench ? frenchSummary(run, format.number) : undefined;
  return french ?? <span lang="en">{own}</span>;
}

/** What a kind of task does, in a sentence. */
export function useKinds(): (kind: Task["kind"]) => string {
  const w = useWords(words);
  const told: Readonly<Record<Task["kind"], string>> = {
    "expire-passes": w.kindExpire,
    "refresh-metadata": w.kindRefresh,
    import: w.kindImport,
    "sync-wallet-classes": w.kindSync,
    "check-credentials": w.kindCheck,
    purge: w.kindPurge,
    export: w.kindExport,
  };
  return (kind) => told[kind] ?? kind;
}
