// Pairing: a code for a key. The key stays in this browser, and goes to the service alone.
import { Failure, pair } from "../scans/api.js";
import { clearLists } from "../scans/gate-list.js";
import { clear, read, remove, write } from "../scans/store.js";
import { byId } from "./dom.js";
import { say } from "./words.js";

const CODE_LENGTH = 6;

/** The address of the environment ends with the tenant. */
function tenantOf(environmentUri) {
  const found = /\/api\/([^/?#]+)\/?$/.exec(environmentUri);
  return found === null ? undefined : decodeURIComponent(found[1]);
}

export const readPairing = () => read("kept", "pairing");

/** Forgets the device; scans that were not sent stay. */
export async function forgetPairing() {
  await remove("kept", "pairing");
  await remove("kept", "device");
  await remove("kept", "list");
  await clearLists();
  await clear("history");
}

/**
 * The key is dead, but the device may be paired again: what was not sent stays. False if this browser
 * has another key by now.
 */
export async function forgetKey(apiKey) {
  const pairing = await readPairing();
  if (pairing?.apiKey !== apiKey) return false;
  await remove("kept", "pairing");
  await remove("kept", "list");
  await clearLists();
  return true;
}

/** Hyphens and spaces are how people write codes down; no code contains them. */
const codeOf = (typed) => typed.replace(/[\s-]/g, "").toUpperCase();

/** A link with the code in it fills the form in, and leaves no code in the address. */
function takeLinkedCode() {
  // No character of a code is ever escaped in an address.
  const code = codeOf(location.hash.slice(1));
  if (code === "") return "";
  history.replaceState(null, "", location.pathname);
  return code.slice(0, CODE_LENGTH);
}

function problemOf(failure) {
  // The browser could not keep the key, for example.
  if (!(failure instanceof Failure)) return say("pairFailed", { problem: failure.message });
  if (failure.status === 0) return say("pairOffline");
  if (failure.status === 429) return say("pairMany");
  if ([400, 401, 404, 409, 410].includes(failure.status)) return say("pairWrong");
  return say("pairFailed", { problem: failure.message });
}

/** Calls `onPaired` with what was kept. Gives a function that pairs by the code of the link. */
export function preparePairing(onPaired) {
  const form = byId("pair-form");
  const field = byId("pair-code");
  const button = byId("pair-button");
  const note = byId("pair-problem");
  const tell = (text) => {
    note.textContent = text;
    note.hidden = text === "";
    field.setAttribute("aria-invalid", String(text !== ""));
  };
  const pairByLink = () => {
    const code = takeLinkedCode();
    // Never while paired: a link from a stranger must not turn a gate into theirs.
    if (byId("pairing").hidden || code === "") return;
    field.value = code;
    form.requestSubmit();
  };
  addEventListener("hashchange", pairByLink);
  field.addEventListener("input", () => {
    field.value = codeOf(field.value).slice(0, CODE_LENGTH);
    tell("");
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const code = codeOf(field.value);
    if (code.length !== CODE_LENGTH || button.disabled) return tell(say("pairWrong"));
    button.disabled = true;
    button.textContent = say("pairBusy");
    tell("");
    try {
      const { apiKey, environmentUri, deviceId } = await pair(code);
      const pairing = { apiKey, environmentUri, deviceId, tenantId: tenantOf(environmentUri) };
      await write("kept", pairing, "pairing");
      field.value = "";
      await onPaired(pairing);
    } catch (failure) {
      tell(problemOf(failure));
      field.focus();
    } finally {
      button.disabled = false;
      button.textContent = say("pairButton");
    }
  });
  return pairByLink;
}
