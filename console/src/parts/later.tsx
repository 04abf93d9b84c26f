import { type ReactNode, useDeferredValue } from "react";

/**
 * Draws its content after everything else is on the screen. For dialogs that are closed at first: they
 * show nothing, and drawing them would delay what people wait for.
 */
export function Later({ children }: { readonly children: ReactNode }) {
  const isTime = useDeferredValue(true, false);
  return isTime ? children : undefined;
}
