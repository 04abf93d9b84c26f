import { createContext, useContext } from "react";

/** Which rows are ticked. A context, so that a tick draws its box anew and not the table. */
export type Picks = {
  readonly isPicked: (id: string) => boolean;
  readonly toggle: (id: string) => void;
};

export const PicksContext = createContext<Picks>({
  isPicked: () => false,
  toggle: () => undefined,
});

export const usePicks = (): Picks => useContext(PicksContext);
