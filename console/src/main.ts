import { isAnswerForOther } from "./session/authorization.ts";
import { handOverAnswer, startSession } from "./session/session.ts";
import { words } from "./session/words.ts";
import { basePath, settings } from "./settings.ts";
import { getLanguage } from "./words/language.ts";

/** Cookies and callbacks belong to one address. People also type other names of their computer. */
const isElsewhere = new URL(settings.baseUrl).origin !== location.origin;

/** This file is small: the person is signed in while the app is fetched and compiled. */
async function open(place: HTMLElement): Promise<void> {
  if (isElsewhere) {
    const rest = location.pathname.slice(location.pathname.indexOf("/console") + "/console".length);
    const { search, hash } = location;
    return location.replace(`${settings.baseUrl}/console${rest}${search}${hash}`);
  }
  if (isAnswerForOther()) {
    handOverAnswer();
    const w = words[getLanguage()];
    const isRefused = new URLSearchParams(location.search).has("error");
    place.textContent = isRefused ? w.closeFailed : w.closeWindow;
    return;
  }
  // The app shows how far this is; what goes wrong is part of the state of the session.
  const session = startSession();
  if (location.pathname === `${basePath}/callback`) {
    // The router, which is part of the app, must not see the code.
    history.replaceState(undefined, "", (await session) ?? basePath);
  }
  const [{ showApp }, { fetchPageAt }] = await Promise.all([
    import("./app.tsx"),
    import("./pages.ts"),
  ]);
  fetchPageAt(location.pathname.slice(basePath.length));
  showApp(place);
}

/** Without the app there is nothing that could draw a message. */
function showNotLoaded(place: HTMLElement): void {
  const w = words[getLanguage()];
  const again = document.createElement("button");
  again.textContent = w.tryAgain;
  again.addEventListener("click", () => location.reload());
  const text = document.createElement("p");
  text.textContent = w.notLoaded;
  place.setAttribute("role", "alert");
  place.replaceChildren(text, again);
}

const place = document.getElementById("console");
// Awaited here, this would never end: the app imports modules that stand in the same file as this
// one, and they are ready only when this file has ended.
if (place !== null) open(place).catch(() => showNotLoaded(place));
