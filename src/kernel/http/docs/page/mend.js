// What the reference leaves out for people who use a keyboard or a screen reader.

const MENDED_EVERY_MS = 100;

/** It draws while people scroll, so this goes on for as long as the page is open. */
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
  // Its dialog stands outside of `place`.
  const observed = { childList: true, subtree: true, attributeFilter: ["aria-expanded", "role"] };
  new MutationObserver(plan).observe(place.ownerDocument.body, observed);
  plan();
}

function mend(page) {
  for (const field of page.querySelectorAll(".code-input-lite__editor")) nameField(field);
  name(page, ".cm-content[role=textbox]", "Text");
  name(page, "button.group\\/copy-button", "Copy");
  for (const region of page.querySelectorAll("ul.endpoints, .cm-scroller")) {
    if (!region.hasAttribute("tabindex")) region.tabIndex = 0;
  }
  // They are buttons and have a name, which is lost with the role.
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
  if (field.role !== "combobox" || field.hasAttribute("aria-expanded")) return;
  field.setAttribute("aria-expanded", "false");
}
