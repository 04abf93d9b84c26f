import type { SpotlightActionData } from "@mantine/spotlight";
import { useEffect, useRef, useSyncExternalStore } from "react";

/** What the palette can do on the page on the screen. */
let actions: readonly SpotlightActionData[] = [];
const listeners = new Set<() => void>();

function set(next: readonly SpotlightActionData[]): void {
  actions = next;
  for (const listener of listeners) listener();
}

export const usePageActions = (): SpotlightActionData[] => [
  ...useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => actions,
  ),
];

/** Offers actions of a page in the palette, as long as the page is open. */
export function useOfferActions(offered: readonly SpotlightActionData[]): void {
  const names = offered.map(({ id, label }) => `${id} ${label}`).join();
  const newest = useRef(offered);
  useEffect(() => {
    newest.current = offered;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: lists are made anew by every render; their names say whether they differ.
  useEffect(() => {
    // What an action does may have changed since it was offered, as the tenant or the pass on the screen.
    set(
      offered.map((action) => ({
        ...action,
        onClick: (event) => newest.current.find(({ id }) => id === action.id)?.onClick?.(event),
      })),
    );
    return () => set([]);
  }, [names]);
}
