import { Badge, Group } from "@mantine/core";
import { useCallback } from "react";
import { useLanguage, useWords } from "../words/language.ts";
import { type Import, type OutcomeName, type SftpFile, sizeIn } from "./import.ts";
import { words } from "./words.ts";

const COLORS: Readonly<Record<Import["status"], string>> = {
  uploading: "blue",
  pending: "gray",
  running: "blue",
  processed: "teal",
  error: "red",
};

export function useStatusNames(): Readonly<Record<Import["status"], string>> {
  const w = useWords(words);
  return {
    uploading: w.statusUploading,
    pending: w.statusPending,
    running: w.statusRunning,
    processed: w.statusProcessed,
    error: w.statusError,
  };
}

type Told = Pick<SftpFile, "failed"> & {
  readonly status: Import["status"];
  readonly dryRun?: boolean;
};

/** How far a file has come. That rows failed is said in words, not by a colour alone. */
export function StateBadge({ file: { status, failed, dryRun } }: { file: Told }) {
  const w = useWords(words);
  const names = useStatusNames();
  const isMixed = status === "processed" && failed > 0;
  return (
    <Group gap={6}>
      <Badge color={isMixed ? "orange" : COLORS[status]} variant="light" tt="none">
        {isMixed ? w.statusProcessedFailed : names[status]}
      </Badge>
      {dryRun === true && (
        <Badge color="gray" variant="outline" tt="none">
          {w.dryRun}
        </Badge>
      )}
    </Group>
  );
}

const OUTCOME_COLORS: Readonly<Record<OutcomeName, string>> = {
  created: "teal",
  updated: "blue",
  unchanged: "gray",
  failed: "red",
};

export function useOutcomeNames(isDryRun: boolean): Readonly<Record<OutcomeName, string>> {
  const w = useWords(words);
  return isDryRun
    ? {
        created: w.wouldCreated,
        updated: w.wouldUpdated,
        unchanged: w.wouldUnchanged,
        failed: w.wouldFailed,
      }
    : { created: w.created, updated: w.updated, unchanged: w.unchanged, failed: w.failed };
}

export function OutcomeBadge({ outcome, isDryRun }: { outcome: OutcomeName; isDryRun: boolean }) {
  const names = useOutcomeNames(isDryRun);
  return (
    <Badge color={OUTCOME_COLORS[outcome]} variant="light" tt="none">
      {names[outcome]}
    </Badge>
  );
}

export function useSize(): (bytes: number) => string {
  const language = useLanguage();
  return useCallback((bytes) => sizeIn(language, bytes), [language]);
}
