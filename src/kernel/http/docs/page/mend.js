// Adds to the API reference what it lacks for people who use a keyboard or a screen reader.

const MENDED_EVERY_MS = 100;

/**
 * The reference adds elements while people scroll, so the page is watched as long as it is open.
 */
export function keepMended(place) {
  let planned = false;
  const plan = () => {
    if (planned) return;
    planned = true;
    setTimeout(() => {
      planned = false;
      mend(document);
    }, MENDED_EVERY_MS);
  };
  // The dialog of the reference is outside of `place`, so the whole body is watched.
  const observed = { childList: true, subtree: true, attributeFilter: ["aria-expanded", "role"] };
  new MutationObserver(plan).observe(place.ownerDocument.body, observed);
  plan();
}

function mend(page) {
  for (const field of page.querySelectorAll(".code-input-lite__editor")) nameField(field);
  for (const box of page.querySelectorAll("[role=combobox]")) tellWhetherOpen(box);
  for (const button of page.querySelectorAll("button.show-more")) nameBySight(button);
  name(page, ".cm-content[role=textbox]", "Text");
  name(page, "button.group\\/copy-button", "Copy");
  for (const region of page.querySelectorAll("ul.endpoints, .cm-scroller")) {
    // The editor takes its scrolling part out of the order of the keyboard by itself.
    if (region.tabIndex < 0) region.tabIndex = 0;
  }
  // These elements are buttons with a name; `role=none` would hide both from screen readers.
  for (const button of page.querySelectorAll("button[role=none]")) button.removeAttribute("role");
}

function name(page, selector, text) {
  for (const element of page.querySelectorAll(`${selector}:not([aria-label])`)) {
    element.setAttribute("aria-label", text);
  }
}

function nameField(field) {
  if (!field.hasAttribute("aria-label")) {
    field.setAttribute("aria-label", field.dataset.placeholder || "Value");
  }
}

/** Sets `aria-expanded` on boxes that do not set it themselves. */
function tellWhetherOpen(box) {
  if (box.hasAttribute("aria-expanded") && box.dataset.mended === undefined) return;
  const list = document.getElementById(box.getAttribute("aria-controls") ?? "");
  const isOpen = String(list !== null && list.childElementCount > 0);
  if (box.getAttribute("aria-expanded") === isOpen) return;
  box.dataset.mended = "";
  box.setAttribute("aria-expanded", isOpen);
}

/** People who use speech control say the visible text, so the button's name must begin with it. */
function nameBySight(button) {
  const [seen, named] = [button.textContent.trim(), button.ariaLabel ?? ""];
  if (seen === "" || named.toLowerCase().includes(seen.toLowerCase())) return;
  button.ariaLabel = named === "" ? seen : `${seen}: ${named}`;
}
