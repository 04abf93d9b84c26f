import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { fetchPreview } from "../parts/pass-preview/preview.ts";
import type { Preview } from "../parts/pass-preview/shapes.ts";
import type { FileChanges } from "./configuration.ts";
import type { WorkingSet } from "./use-working-set.ts";

/** Shorter than a pause between words, longer than one between letters. */
const PAUSE_MS = 150;
const SENT_CHARS_MAX = 6 * 1024 * 1024;
const KEPT_MS = 10_000;

/** The preview of what was typed. The last one that could be drawn stays until there is another. */
export function useTrial(working: WorkingSet, passType: string | undefined) {
  const { tenantId, changes, revision, isLoaded, isDraft } = working;
  const now = useMemo(() => ({ passType, revision, changes }), [passType, revision, changes]);
  const [wish] = useDebouncedValue(now, PAUSE_MS);
  const drawn = useRef<Preview>(undefined);
  const { data, error, isFetching } = useQuery({
    queryKey: ["trial", tenantId, wish.passType, wish.revision, isDraft],
    queryFn: ({ signal }) =>
      fetchPreview(
        tenantId,
        { passType: wish.passType ?? "", files: sendable(wish.changes) },
        signal,
      ),
    enabled: isLoaded && wish.passType !== undefined,
    placeholderData: keepPreviousData,
    gcTime: KEPT_MS,
    staleTime: 0,
    meta: { live: ["configuration."] },
  });
  if (data?.apple != null && data.google != null) drawn.current = data;
  const isSame = drawn.current?.passType === passType;
  return {
    preview: isSame ? drawn.current : data,
    findings: passType === undefined ? [] : (data?.findings ?? []),
    variables: isSame ? (drawn.current?.variables ?? []) : [],
    error,
    isFetching: isFetching || wish.revision !== revision,
  };
}

/** Pictures that are not saved yet travel with every preview, unless they are too many. */
function sendable(changes: FileChanges): FileChanges {
  const all = Object.entries(changes);
  const size = all.reduce((total, [, content]) => total + JSON.stringify(content).length, 0);
  if (size <= SENT_CHARS_MAX) return changes;
  return Object.fromEntries(all.filter(([, content]) => typeof content === "string"));
}
