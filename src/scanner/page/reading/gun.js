// Barcode guns act as keyboards that type a code and Enter, faster than any person does. The code
// is kept exactly: a space at its end is part of it.

/** In a field, only the speed tells a gun from a person, who needs twice as long for a key. */
const GAP_IN_FIELD_MS_MAX = 80;
/** Elsewhere nobody types, so that slow guns and busy tablets have time. */
const GAP_MS_MAX = 1_000;
const LENGTH_MIN = 3;
/** Somebody may type three digits of an amount that fast. */
const LENGTH_IN_AMOUNT_MIN = 6;
const LENGTH_MAX = 2_048;

/**
 * Tells `onCode` of each code that a gun types. `field` is where people type codes: what a gun types
 * there counts as well, if nothing else stands in it. In fields that `isAmount` tells of, the digits
 * of a code must not become an amount.
 */
export function listenToGun({ field, isAmount }, onCode) {
  let typed = "";
  let lastAt = 0;
  /** What stood in the field before the gun began. */
  let before = "";
  addEventListener(
    "keydown",
    (event) => {
      if (event.isComposing || isCommand(event)) return;
      const gap = event.timeStamp - lastAt;
      lastAt = event.timeStamp;
      const focused = document.activeElement;
      const isInField = isTyping(focused);
      if (gap > (isInField ? GAP_IN_FIELD_MS_MAX : GAP_MS_MAX)) typed = "";
      if (event.key === "Enter") {
        const code = typed;
        typed = "";
        if (code.length < LENGTH_MIN || code.length > LENGTH_MAX) return;
        if (isInField) {
          const isGun =
            focused === field
              ? focused.value === code
              : isAmount(focused) && code.length >= LENGTH_IN_AMOUNT_MIN;
          if (!isGun) return;
          focused.value = before;
        }
        event.preventDefault();
        event.stopPropagation();
        onCode(code);
        return;
      }
      if ([...event.key].length !== 1) return;
      if (typed === "") before = isInField ? focused.value : "";
      typed += event.key;
      // A space would press the button that has the focus.
      if (typed.length > 1 && !isInField) event.preventDefault();
    },
    { capture: true },
  );
}

/** On some keyboards `@` is typed with AltGr, which is Ctrl and Alt to some systems. */
const isCommand = (event) =>
  event.metaKey ||
  ((event.ctrlKey || event.altKey) && event.getModifierState?.("AltGraph") !== true);

const isTyping = (element) => element instanceof HTMLInputElement && element.type === "text";
