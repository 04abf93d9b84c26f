import { type ReactNode, useDeferredValue } from "react";

/**
 * Draws its content after everything else is on the screen: React draws first with `false`, and again with
 * `true` when nothing more urgent is left. For dialogs: most are closed at first, and drawing them would
 * delay what people wait for. A dialog that the address opens comes one drawing later.
 */
export function Later({ children }: { readonly children: ReactNode }) {
  const isTime = useDeferredValue(true, false);
  return isTime ? children : undefined;
}
