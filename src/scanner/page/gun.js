// Barcode guns act as keyboards that type a code and Enter, faster than any person does. The code
// is kept exactly: a space at its end is part of it.

/** Slow guns and radio links need up to half of it for a key; people need twice as much. */
const GAP_MS_MAX = 80;
const LENGTH_MIN = 3;
const LENGTH_MAX = 2_048;

/**
 * Tells `onCode` of each code that a gun types. `field` is where people type: what a gun types
 * there counts as well, if nothing else stands in it.
 */
export function listenToGun(field, onCode) {
  let typed = "";
  let lastAt = 0;
  addEventListener(
    "keydown",
    (event) => {
      if (event.isComposing || isCommand(event)) return;
      const gap = event.timeStamp - lastAt;
      lastAt = event.timeStamp;
      if (gap > GAP_MS_MAX) typed = "";
      if (event.key === "Enter") {
        const code = typed;
        typed = "";
        if (code.length < LENGTH_MIN || code.length > LENGTH_MAX) return;
        const isInField = document.activeElement === field;
        if (!isInField && isTyping(document.activeElement)) return;
        if (isInField && field.value !== code) return;
        if (isInField) field.value = "";
        event.preventDefault();
        event.stopPropagation();
        onCode(code);
        return;
      }
      if ([...event.key].length !== 1) return;
      typed += event.key;
      // A space would press the button that has the focus.
      if (typed.length > 1 && !isTyping(document.activeElement)) event.preventDefault();
    },
    { capture: true },
  );
}

/** On some keyboards `@` is typed with AltGr, which is Ctrl and Alt to some systems. */
const isCommand = (event) =>
  event.metaKey ||
  ((event.ctrlKey || event.altKey) && event.getModifierState?.("AltGraph") !== true);

const isTyping = (element) =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
