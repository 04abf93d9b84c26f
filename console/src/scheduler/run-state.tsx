import { Badge } from "@mantine/core";
import { useWords } from "../words/language.ts";
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
