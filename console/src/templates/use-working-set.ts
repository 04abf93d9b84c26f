import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useTenantId } from "../navigation.tsx";
import type { Finding } from "../parts/pass-preview/shapes.ts";
import {
  CONFIGURATION_EVENTS,
  type Configuration,
  configurationKey,
  type FileContent,
  type Files,
  getConfiguration,
  saveDraft,
} from "./configuration.ts";
import { editFile, forgetEdits, getEdits, useEdits, withEdits } from "./edits.ts";

const NO_FILES: Files = {};

/** The files of the tenant with what was typed over them. */
export function useWorkingSet() {
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const edits = useEdits(tenantId);
  const [tested, setTested] = useState<{ findings: readonly Finding[]; revision: number }>();
  const { data, error, refetch } = useQuery({
    queryKey: configurationKey(tenantId),
    queryFn: () => getConfiguration(tenantId),
    meta: { live: CONFIGURATION_EVENTS },
  });
  const saved = data?.files ?? NO_FILES;
  const files = useMemo(() => withEdits(saved, edits.changes), [saved, edits]);
  const edit = useCallback(
    (path: string, content: FileContent | null) => editFile(tenantId, saved, path, content),
    [tenantId, saved],
  );
  /** Stores what was typed as a draft. What is typed meanwhile stays unsaved. */
  const save = useCallback(async (): Promise<boolean> => {
    const { changes } = getEdits(tenantId);
    if (Object.keys(changes).length === 0) return false;
    await saveDraft(tenantId, changes);
    queries.setQueryData<Configuration>(configurationKey(tenantId), (old) => ({
      files: withEdits(old?.files ?? NO_FILES, changes),
      isDraft: true,
    }));
    forgetEdits(tenantId, changes);
    return true;
  }, [tenantId, queries]);
  const reload = useCallback(
    () => queries.invalidateQueries({ queryKey: configurationKey(tenantId) }),
    [tenantId, queries],
  );
  return {
    tenantId,
    isLoaded: data !== undefined,
    isDraft: data?.isDraft ?? false,
    error,
    retry: () => void refetch(),
    saved,
    files,
    changes: edits.changes,
    revision: edits.revision,
    isDirty: Object.keys(edits.changes).length > 0,
    edit,
    save,
    reload,
    /** What the whole test said, as long as nothing was typed since. */
    tested: tested?.revision === edits.revision ? tested.findings : undefined,
    setTested: (findings: readonly Finding[]) =>
      setTested({ findings, revision: getEdits(tenantId).revision }),
  };
}

export type WorkingSet = ReturnType<typeof useWorkingSet>;
