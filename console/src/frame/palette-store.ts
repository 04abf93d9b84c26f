import { createSpotlight } from "@mantine/spotlight";

/** Whether the palette is open, and what was typed into it: known before it is drawn. */
export const [paletteStore, { open: openPalette }] = createSpotlight();

/** For letters that are typed before the field of the palette has the focus. */
export function typeIntoPalette(letter: string): void {
  paletteStore.setState((state) => ({ ...state, query: state.query + letter }));
}
