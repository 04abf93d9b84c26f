// Draws one phone: its lock screen lines, the pass in front and the others below it.
import { changedKeys, drawCard, make } from "./card.js";

const NOTICES_SHOWN = 3;
const DEEDS_SHOWN = 12;
/** What a person chose to look at, by phone: the pass in front, and whether it is turned over. */
const views = new Map();
/** The cards as they were drawn last, to point out what has changed since. */
const drawn = new Map();

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short", hourCycle: "h23" });
const clockSeconds = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

export function viewOf(phoneId) {
  const view = views.get(phoneId) ?? { key: undefined, isFlipped: false };
  views.set(phoneId, view);
  return view;
}

function noticeList(phone, actions) {
  if (phone.notices.length === 0) return undefined;
  const lines = phone.notices.slice(0, NOTICES_SHOWN).map(({ id, at, title, text }) => {
    const line = make("li", "notice", [
      make("span", "app", [], { ariaHidden: "true" }),
      make("div", "words", [make("strong", "", [title]), make("p", "", [text])]),
      make("time", "", [clock.format(new Date(at))], { dateTime: at }),
    ]);
    line.dataset.id = id;
    return line;
  });
  const clear = make("button", "clear", ["Clear"], { type: "button" });
  clear.addEventListener("click", () => actions.clearNotices(phone.id));
  return make("div", "notices", [make("ul", "", lines), clear]);
}

function empty(kind) {
  const wallet = kind === "iphone" ? "Wallet" : "Google Wallet";
  return make("div", "empty", [
    make("div", "ghost", [], { ariaHidden: "true" }),
    make("p", "", [`${wallet} is empty. Add a pass with its link.`]),
  ]);
}

function others(phone, front, actions) {
  const cards = phone.cards.filter(({ key }) => key !== front.key);
  if (cards.length === 0) return undefined;
  const tabs = cards.map((card) => {
    const name = card.logoText || card.organization;
    const tab = make(
      "button",
      "tab",
      [make("span", "", [name]), make("span", "more", [card.description])],
      {
        type: "button",
      },
    );
    tab.style.setProperty("--background", card.colors.background);
    tab.style.setProperty("--foreground", card.colors.foreground);
    tab.addEventListener("click", () => actions.show(phone.id, card.key));
    return tab;
  });
  return make("div", "others", tabs);
}

function tools(phone, front, isFlipped, actions) {
  const turn = make("button", "", [isFlipped ? "Front" : "Back"], { type: "button" });
  turn.setAttribute(
    "aria-label",
    `Show the ${isFlipped ? "front" : "back"} of ${front.description}`,
  );
  turn.addEventListener("click", () => actions.turn(phone.id));
  const remove = make("button", "danger", ["Remove"], { type: "button" });
  remove.setAttribute("aria-label", `Remove ${front.description} from ${phone.name}`);
  remove.addEventListener("click", () => actions.remove(phone.id, front.key));
  const signUp = front.enrolment && make("button", "main", ["Sign up"], { type: "button" });
  signUp?.addEventListener("click", () => actions.signUp(phone.id, front));
  return make("div", "tools", [signUp, turn, remove]);
}

function deeds(phone) {
  const lines = phone.deeds
    .slice(0, DEEDS_SHOWN)
    .map(({ at, text, isProblem }) =>
      make("li", isProblem ? "problem" : "", [
        make("time", "", [clockSeconds.format(new Date(at))], { dateTime: at }),
        make("span", "", [text]),
      ]),
    );
  const list = lines.length === 0 ? make("p", "quiet", ["Nothing yet."]) : make("ul", "log", lines);
  const details = make("details", "deeds", [make("summary", "", ["What this phone did"]), list]);
  details.open = viewOf(phone.id).isTelling === true;
  details.addEventListener("toggle", () => {
    viewOf(phone.id).isTelling = details.open;
  });
  return details;
}

export function drawPhone(phone, actions) {
  const view = viewOf(phone.id);
  const front = phone.cards.find(({ key }) => key === view.key) ?? phone.cards[0];
  const inside = [noticeList(phone, actions)];
  if (front === undefined) inside.push(empty(phone.kind));
  else {
    const id = `${phone.id} ${front.key}`;
    const changed = changedKeys(drawn.get(id), front);
    drawn.set(id, front);
    inside.push(
      drawCard(front, { phoneId: phone.id, isFlipped: view.isFlipped, changed }),
      tools(phone, front, view.isFlipped, actions),
      others(phone, front, actions),
    );
  }
  const frame = make("div", `phone ${phone.kind}`, [
    make("div", "screen", [
      make("div", "system", [
        make("span", "", [clock.format(new Date())]),
        make("span", "signal", [], { ariaHidden: "true" }),
      ]),
      make("div", "inside", inside),
    ]),
  ]);
  const place = make("section", "place", [
    make("header", "caption", [
      make("h2", "", [phone.name]),
      make("span", "quiet", [phone.kind === "iphone" ? "Apple Wallet" : "Google Wallet"]),
    ]),
    frame,
    deeds(phone),
  ]);
  place.dataset.phone = phone.id;
  return place;
}
