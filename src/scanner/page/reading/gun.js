// Barcode guns act as keyboards that type a code and Enter, faster than any person does. The code
// is kept exactly: a space at its end is part of it.

/** In a field, only the speed tells a gun from a person, who needs twice as long for a key. */
const GAP_IN_FIELD_MS_MAX = 80;
/** Elsewhere nobody types, so that slow guns and busy tablets have time. */
const GAP_MS_MAX = 1_000;
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
      const isInField = document.activeElement === field;
      if (gap > (isInField ? GAP_IN_FIELD_MS_MAX : GAP_MS_MAX)) typed = "";
      if (event.key === "Enter") {
        const code = typed;
        typed = "";
        if (code.length < LENGTH_MIN || code.length > LENGTH_MAX) return;
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
