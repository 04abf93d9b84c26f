import { createSpotlight } from "@mantine/spotlight";

const [store, { open }] = createSpotlight();

/** Whether the palette is open, known before it is drawn. */
export const paletteStore = store;

/** The field of the palette while it is drawn. */
let field: HTMLInputElement | null = null;
/** Letters that were typed since the palette was opened, before its field had the focus. */
let early = "";

export function openPalette(): void {
  early = "";
  open();
}

export function setPaletteField(element: HTMLInputElement | null): void {
  field = element;
}

/** For letters that are typed while the field of the palette has not the focus yet, or not any more. */
export function typeIntoPalette(letter: string): void {
  early += letter;
  field?.focus();
}

const { set: setValue } =
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value") ?? {};

/**
 * Writes the early letters when the field gets the focus. Into the field itself, as a keyboard would do:
 * React draws a little later, and a letter that is typed before that would replace them.
 */
export function writeEarlyLetters(): void {
  if (field === null || early === "") return;
  setValue?.call(field, field.value + early);
  early = "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
