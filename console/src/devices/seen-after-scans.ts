import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { useLiveEvent } from "../live/live.ts";
import { useTenantId } from "../navigation.tsx";
import { devicesOf } from "./device.ts";

/** The server writes down every ten seconds which keys were used. */
const WRITTEN_MS = 11_000;

/**
 * A scan is the sign that a device is in use, but its event comes before the time of that use is
 * written down. However many scans there are, the list is asked for once in this time.
 */
export function useSeenAfterScans(): void {
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  const onEvent = useCallback(
    (name: string) => {
      if (!name.startsWith("scan.")) return;
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        void queries.invalidateQueries({ queryKey: devicesOf(tenantId) });
      }, WRITTEN_MS);
    },
    [queries, tenantId],
  );
  useLiveEvent(onEvent);
}
