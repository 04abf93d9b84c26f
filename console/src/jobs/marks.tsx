import { Badge } from "@mantine/core";
import { useWords } from "../words/language.ts";
import type { Job, JobState } from "./job.ts";
import { words } from "./words.ts";

const COLORS: Readonly<Record<JobState, string>> = {
  queued: "gray",
  running: "indigo",
  completed: "teal",
  cancelled: "orange",
  failed: "red",
};

export function StateMark({ state }: { readonly state: JobState }) {
  const w = useWords(words);
  const label = {
    queued: w.queued,
    running: w.running,
    completed: w.completed,
    cancelled: w.cancelled,
    failed: w.failedState,
  }[state];
  return (
    <Badge color={COLORS[state]} variant="light" tt="none">
      {label}
    </Badge>
  );
}

/** What the job does, in words; its kind as the API names it if there are none. */
export function useKindName(): (job: Pick<Job, "kind" | "request">) => string {
  const w = useWords(words);
  return ({ kind, request }) => {
    if (kind === "pass.update" && request.changes.length === 0) return w.kindRefresh;
    const names: Readonly<Record<string, string>> = {
      "pass.update": w.kindUpdate,
      "pass.notify": w.kindNotify,
      "webhook.recover": w.kindRecover,
    };
    return names[kind] ?? kind;
  };
}
