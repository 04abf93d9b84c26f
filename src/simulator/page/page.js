// Keeps the page as the phones are: asks for everything after each change it is told of.
import { make } from "./card.js";
import { askOwner } from "./enrolment.js";
import { drawPhone, viewOf } from "./phone.js";

const API = "simulator/api";
const stage = document.getElementById("stage");
const live = document.getElementById("live");
const outcome = document.getElementById("outcome");
const form = document.getElementById("add");
const input = document.getElementById("link");
const KINDS = ["iphone", "android"];
const FAULTS = {
  "": "Works",
  refuse: "Refuses connections",
  slow: "Slow",
  429: "Too many requests",
  500: "Internal error",
  503: "Unavailable",
  goaway: "Goes away in mid-stream",
  cut: "Cuts after the request",
};

let state;

async function call(method, path, body, base = API) {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const value = text === "" ? undefined : JSON.parse(text);
  if (!response.ok) throw new Error(value?.detail ?? `The service answered ${response.status}.`);
  return value;
}

function tell(text, isProblem = false) {
  outcome.hidden = text === "";
  outcome.textContent = text;
  outcome.classList.toggle("problem", isProblem);
}

const attempt = (work) => work().catch((error) => tell(error.message, true));

const actions = {
  turn(phoneId) {
    const view = viewOf(phoneId);
    view.isFlipped = !view.isFlipped;
    // Only turned, not drawn again: otherwise there would be nothing to see turning.
    const card = stage.querySelector(`[data-phone="${phoneId}"] .card`);
    card.classList.toggle("flipped", view.isFlipped);
    setTimeout(draw, matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 620);
  },
  show(phoneId, key) {
    Object.assign(viewOf(phoneId), { key, isFlipped: false });
    draw();
  },
  remove: (phoneId, key) => attempt(() => call("DELETE", `/phones/${phoneId}/passes/${key}`)),
  signUp: (phoneId, card) =>
    askOwner(card, (given) =>
      call("POST", `/phones/${phoneId}/passes/${card.key}/enrolment`, given),
    ),
  clearNotices: (phoneId) => attempt(() => call("DELETE", `/phones/${phoneId}/notices`)),
};

/** Draws again and leaves the focus where it was, as far as that is still there. */
function draw() {
  if (state === undefined) return;
  const focus = focusPath(document.activeElement);
  const scrolled = new Map(
    [...stage.querySelectorAll("[data-phone] .rear")].map((rear) => [
      rear.closest("[data-phone]").dataset.phone,
      rear.scrollTop,
    ]),
  );
  stage.replaceChildren(...state.phones.map((phone) => drawPhone(phone, actions)));
  for (const [phoneId, top] of scrolled) {
    const rear = stage.querySelector(`[data-phone="${phoneId}"] .rear`);
    if (rear !== null) rear.scrollTop = top;
  }
  if (focus !== undefined) {
    const place = stage.querySelector(`[data-phone="${focus.phoneId}"]`);
    [...(place?.querySelectorAll("button, summary") ?? [])][focus.at]?.focus();
  }
  drawService("apns", state.apns, state.apns.pushes, ({ token, status, reason }) => [
    `${reason ?? status} · ${token}`,
    reason !== undefined,
  ]);
  const calls = state.google.requests;
  drawService("google", state.google, calls, ({ method, path, status }) => [
    `${status} · ${method} ${path.replace("/walletobjects/v1", "")}`,
    status >= 400,
  ]);
}

function focusPath(element) {
  const place = element?.closest("[data-phone]");
  if (!place) return undefined;
  const at = [...place.querySelectorAll("button, summary")].indexOf(element);
  return at === -1 ? undefined : { phoneId: place.dataset.phone, at };
}

function drawService(name, { counts, fault }, entries, describe) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  document.getElementById(`${name}-counts`).textContent =
    total === 0 ? "nothing yet" : `${total} so far`;
  const lines = entries.map((entry) => {
    const [text, isProblem] = describe(entry);
    const time = make("time", "", [new Date(entry.at).toLocaleTimeString()], {
      dateTime: entry.at,
    });
    return make("li", isProblem ? "problem" : "", [time, make("span", "", [text])]);
  });
  document.getElementById(`${name}-log`).replaceChildren(...lines);
  const select = document.querySelector(`[data-service="${name}"] select`);
  if (select !== null && select !== document.activeElement) select.value = fault?.kind ?? "";
}

/** Lets a person break a service, to see what the product makes of it. */
function addFaults() {
  for (const place of document.querySelectorAll("[data-service]")) {
    const { service } = place.dataset;
    const kinds = Object.entries(FAULTS).filter(
      ([kind]) => kind !== "goaway" || service === "apns",
    );
    kinds.sort(([left], [right]) => (left === "" ? -1 : right === "" ? 1 : 0));
    const select = make(
      "select",
      "",
      kinds.map(([value, text]) => make("option", "", [text], { value })),
    );
    select.addEventListener("change", () =>
      attempt(() =>
        select.value === ""
          ? call("DELETE", `/faults/${service}`)
          : call("PUT", `/faults/${service}`, { kind: select.value }),
      ),
    );
    place.append(make("label", "", ["At present it… ", select]));
  }
}

/** Who has the panel open wants to know; before that, no vendor has to run. */
function listVendors() {
  const panel = document.getElementById("vendors");
  const list = document.getElementById("vendor-list");
  panel.addEventListener("toggle", () => {
    if (!panel.open || list.childElementCount > 0) return;
    void attempt(async () => {
      const { vendors } = await call("GET", "", undefined, "simulator/vendors");
      list.replaceChildren(...vendors.map(drawVendor));
    });
  });
}

/** The address is that of its API, for vendors that are called. */
function drawVendor({ name, url }) {
  return make("li", "", [make("span", "", [url === null ? name : `${name} · ${url}`])]);
}

let isAsking = false;
let isStale = false;

/** One question at a time; what changes meanwhile is asked for right after. */
async function refresh() {
  isStale = true;
  if (isAsking) return;
  isAsking = true;
  try {
    while (isStale) {
      isStale = false;
      state = await call("GET", "/state");
      draw();
    }
  } catch (error) {
    tell(error.message, true);
  } finally {
    isAsking = false;
  }
}

async function add(link) {
  tell("");
  const button = form.querySelector("button");
  button.disabled = true;
  const problems = [];
  for (const kind of KINDS) {
    const phone = state.phones.find((candidate) => candidate.kind === kind);
    try {
      const { keys } = await call("POST", `/phones/${phone.id}/passes`, { url: link });
      Object.assign(viewOf(phone.id), { key: keys[0], isFlipped: false });
    } catch (error) {
      problems.push(`${phone?.name ?? kind}: ${error.message}`);
    }
  }
  button.disabled = false;
  await refresh();
  if (problems.length > 0) tell(problems.join(" "), true);
  else {
    input.value = "";
    tell("Both phones have the pass. Change it, and watch.");
  }
}

/** Whoever opens the page finds a phone of each kind. */
async function ensurePhones() {
  await refresh();
  for (const kind of KINDS) {
    if (state?.phones.some((phone) => phone.kind === kind)) continue;
    await call("POST", "/phones", { kind });
  }
  await refresh();
}

function listen() {
  const source = new EventSource(`${API}/changes`);
  source.addEventListener("open", () => {
    live.textContent = "Live";
    live.classList.add("on");
  });
  source.addEventListener("error", () => {
    live.textContent = "Reconnecting…";
    live.classList.remove("on");
  });
  source.addEventListener("changed", refresh);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void add(input.value.trim());
});

addFaults();
listVendors();
await attempt(ensurePhones);
listen();
// A link to this page can bring a pass along: simulator#add=https://…
const wanted = new URLSearchParams(location.hash.slice(1)).get("add");
if (wanted !== null) {
  history.replaceState(undefined, "", location.pathname);
  input.value = wanted;
  await add(wanted);
}
