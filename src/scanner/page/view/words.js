// The texts of the page, in the language of the device's settings or else of the browser.

const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt"];

let words = {};
let language = "en";
/** The language that the page is in; undefined before the first one. */
let spoken;

/** `de` for `de-AT`; English for what nobody translated. */
export function chooseLanguage(wanted) {
  for (const tag of wanted) {
    const [found] = String(tag).toLowerCase().split("-");
    if (LANGUAGES.includes(found)) return found;
  }
  return "en";
}

/** Loads the texts and puts them into the page, where `data-word` names them. */
export async function speak(wanted) {
  const chosen = chooseLanguage(wanted);
  if (chosen === spoken) return;
  ({ words } = await import(`../words/${chosen}.js`));
  spoken = chosen;
  language = chosen;
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = say(element.dataset.word);
  }
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", say(element.dataset.label));
    if (element.tagName === "BUTTON") element.title = say(element.dataset.label);
  }
}

/** A text with its places filled: `{count}` by `values.count`. */
export function say(name, values = {}) {
  const text = words[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (_, place) => String(values[place] ?? ""));
}

export const hasWord = (name) => name in words;

/** Up to four places after the point, as amounts have. */
export const number = (value) =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 4 }).format(value);

/** As people of the browser's country write it, if they read this language. */
function country() {
  return navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
}

export const time = (at) =>
  new Intl.DateTimeFormat(country(), { hour: "2-digit", minute: "2-digit" }).format(new Date(at));

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** “5 minutes ago”. */
export function ago(at, now = Date.now()) {
  const passed = Math.max(0, now - new Date(at).getTime());
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  if (passed < MINUTE_MS) return format.format(0, "second");
  if (passed < HOUR_MS) return format.format(-Math.floor(passed / MINUTE_MS), "minute");
  return format.format(-Math.floor(passed / HOUR_MS), "hour");
}
