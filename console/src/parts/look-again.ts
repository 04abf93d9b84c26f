import { useCallback, useEffect, useRef } from "react";

/** After a time that was due, answers come within seconds; what hangs may take half a minute. */
const PAUSES_MS = [500, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 20_000];
/** What is due later than this is told by then, or looked at by whoever opens the page again. */
const FAR_MS = 10 * 60_000;
const MARGIN_MS = 400;

export type Due = {
  /** When something will have changed; in the past while it goes on; undefined if nothing is awaited. */
  readonly at: number | undefined;
  /** Tells two states apart: as long as it stays the same, the pauses grow, and then it is enough. */
  readonly mark: string;
};

/**
 * For what no event tells of, such as an attempt to deliver that has its time, or a job that runs. It
 * looks once at the time that is known, a few times after it, and never when nothing is awaited. Call
 * what this returns with what was seen.
 */
export function useLookAgain(look: () => void): (due: Due) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const seen = useRef({ mark: "", looks: 0 });
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(({ at, mark }) => {
    clearTimeout(timer.current);
    if (seen.current.mark !== mark) seen.current = { mark, looks: 0 };
    if (at === undefined) return;
    const untilMs = at - Date.now();
    const pauseMs = untilMs > 0 ? untilMs + MARGIN_MS : PAUSES_MS[seen.current.looks];
    if (untilMs <= 0) seen.current.looks += 1;
    if (pauseMs === undefined || pauseMs > FAR_MS) return;
    timer.current = setTimeout(() => latest.current(), pauseMs);
  }, []);
}
