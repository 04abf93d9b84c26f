// Wires the page: which view is shown, what a code leads to, and when the service is tried again.

import { Camera } from "./reading/camera.js";
import { listenToGun } from "./reading/gun.js";
import { createApi, Failure } from "./scans/api.js";
import { now, startClock } from "./scans/clock.js";
import { GateList } from "./scans/gate-list.js";
import { markConflictsSeen, readConflicts, readHistory } from "./scans/history.js";
import { Link } from "./scans/link.js";
import { Outbox } from "./scans/outbox.js";
import { Scans } from "./scans/scans.js";
import { readSettings } from "./scans/settings.js";
import { clear, read, write } from "./scans/store.js";
import { byId, drawing, make } from "./view/dom.js";
import { prepareMenu } from "./view/menu.js";
import { forgetKey, forgetPairing, preparePairing, readPairing } from "./view/pairing.js";
import { ResultView, sayReason } from "./view/result.js";
import { playVerdict, wakeSound } from "./view/sound.js";
import { ago, number, say, speak, time } from "./view/words.js";

/** How often the service is tried while it is away, and what changed is asked for otherwise. */
const RETRY_MS = 10_000;
const UPKEEP_MS = 5 * 60_000;
const HISTORY_SHOWN = 12;

const link = new Link();
const list = new GateList();
const outbox = new Outbox(link, () => void drawState());
const view = new ResultView({ onRedeem: redeem, onNext: showDesk });
const camera = new Camera(byId("video"), (code) => void take(code));

/** What this browser is paired as, or undefined. */
let device;
let scans;
let shown;
let timer;
/** What the person chose in the menu counts more than the settings of the device. */
let hasSound;

const preferences = () => ({ ...device.settings, sound: hasSound ?? device.settings.sound });

async function enter(pairing) {
  const kept = await read("kept", "device");
  const isSame = kept?.deviceId === pairing.deviceId;
  device = { ...pairing, ...(isSame ? kept : {}), api: createApi(pairing) };
  device.settings = readSettings(isSame ? kept.raw : {});
  scans = new Scans({ device, link, outbox, list });
  await list.open(pairing);
  byId("key-gone").hidden = true;
  if (kept !== undefined && kept.tenantId !== pairing.tenantId) await clear("history");
  showView("scanner");
  void keepUp();
  await startCameraQuietly();
}

let upkeep;
let isUpkeepWanted = false;

/** Asks for the settings, sends what waits, and renews the list: once at a time. Never throws. */
async function keepUp() {
  isUpkeepWanted = true;
  upkeep ??= (async () => {
    while (isUpkeepWanted) {
      isUpkeepWanted = false;
      await keepUpOnce();
    }
    upkeep = undefined;
  })();
  await upkeep;
}

async function keepUpOnce() {
  if (device === undefined) return;
  const { api, tenantId } = device;
  try {
    const raw = await api.readDevice();
    link.report();
    if (device?.api !== api) return;
    device.name = raw.name;
    device.settings = readSettings(raw.settings);
    const { deviceId } = device;
    await write("kept", { tenantId, deviceId, name: raw.name, raw: raw.settings }, "device");
    await speakDevice();
    await outbox.flush(api, tenantId);
    if (device.settings.gateList && link.isOnline) await list.renew(device);
  } catch (failure) {
    if (failure instanceof Failure) link.report(failure);
    // The list is a help and no condition: without it the page works, and says so.
  }
  await drawState();
}

const speakDevice = () =>
  speak([device?.settings.language, ...navigator.languages].filter((tag) => tag !== undefined));

async function take(code, wish) {
  if (device === undefined) return;
  if (byId("menu").open) byId("menu").close();
  document.body.classList.add("busy");
  try {
    show(await scans.scan(code, wish));
  } catch (error) {
    // The storage of the browser is full or forbidden: nobody may believe that the scan is kept.
    if (device !== undefined) {
      show({ ...code, verdict: "unchecked", reason: "not-kept", problem: error.message });
    }
  } finally {
    document.body.classList.remove("busy");
  }
  await drawState();
}

function redeem(privilegeId, amount) {
  if (shown !== undefined) void take(shown, { privilegeId, amount });
}

function show(outcome) {
  const allowed = device.settings.passTypes;
  const isOther = outcome.passType !== undefined && allowed?.includes(outcome.passType) === false;
  shown =
    isOther && outcome.verdict === "accepted"
      ? { ...outcome, verdict: "rejected", reason: "other-type" }
      : outcome;
  const isOpen = view.show(shown);
  playVerdict(shown.verdict, preferences());
  clearTimeout(timer);
  const seconds = device.settings.resultSeconds;
  // What a person can still act on stays until they have.
  if (!isOpen && seconds > 0) timer = setTimeout(showDesk, seconds * 1_000);
}

function showDesk() {
  clearTimeout(timer);
  shown = undefined;
  view.clear();
}

function showView(name) {
  document.body.dataset.view = name;
  byId("pairing").hidden = name !== "pairing";
  byId("scanner").hidden = name !== "scanner";
  byId("menu-button").hidden = name !== "scanner";
  byId("link").hidden = name !== "scanner";
}

/** The service does not know the key any more: nothing that was scanned is lost. */
async function loseKey() {
  if (device === undefined) return;
  device = undefined;
  await forgetKey();
  await leave();
  byId("key-gone").hidden = false;
}

async function leave() {
  device = undefined;
  camera.stop();
  await drawCamera();
  showDesk();
  if (byId("menu").open) byId("menu").close();
  showView("pairing");
  await drawState();
}

async function drawState() {
  const waiting = await outbox.waiting();
  const mine = waiting.filter(({ tenantId }) => tenantId === device?.tenantId).length;
  const badge = byId("link");
  badge.className = link.isOnline ? "link on" : "link off";
  badge.textContent = [
    link.isOnline ? say("online") : say("offline"),
    mine === 0 ? "" : number(mine),
  ]
    .filter((part) => part !== "")
    .join(" · ");
  byId("device-name").textContent = device?.name ?? say("scanner");
  byId("pair-waiting").hidden = waiting.length === 0;
  byId("pair-waiting").textContent = say("keptWaiting", { count: number(waiting.length) });
  drawOffline(mine);
  await drawConflicts();
  await drawHistory();
}

function drawOffline(mine) {
  const banner = byId("offline-banner");
  const isShown = device !== undefined && !link.isOnline;
  const text = isShown
    ? [
        make("strong", "", [say("offlineTitle")]),
        make("span", "", [
          say(OFFLINE_TEXTS[list.state()], { age: ago(list.head?.checkedAt ?? 0, now()) }),
        ]),
        mine === 0 ? undefined : make("span", "", [say("waiting", { count: number(mine) })]),
      ]
    : [];
  const holder = make(
    "p",
    "",
    text.flatMap((part) => (part === undefined ? [] : [part, " "])),
  );
  // Written only when it differs: screen readers read it again otherwise.
  if (holder.textContent !== banner.textContent) banner.replaceChildren(...holder.childNodes);
  banner.hidden = !isShown;
}

const OFFLINE_TEXTS = { good: "offlineList", none: "offlineNoList", old: "offlineOldList" };

async function drawConflicts() {
  const conflicts = device === undefined ? [] : await readConflicts();
  const banner = byId("conflict-banner");
  byId("conflict-text").textContent = say("conflicts", { count: number(conflicts.length) });
  byId("conflict-list").replaceChildren(
    ...conflicts.map(({ name, data, at, conflict: { here, there } }) =>
      make("li", "", [
        make("strong", "", [name ?? shorten(data)]),
        ` ${time(at)} `,
        make("span", "", [say("conflictText", { here: verdictOf(here), there: verdictOf(there) })]),
      ]),
    ),
  );
  banner.hidden = conflicts.length === 0;
}

function verdictOf({ decision, reason, problem }) {
  const why = problem ?? sayReason({ reason }).replace(/\.$/, "");
  return why === "" ? say(decision) : `${say(decision)} (${why})`;
}

async function drawHistory() {
  const entries = (await readHistory()).slice(0, HISTORY_SHOWN);
  byId("history").replaceChildren(
    ...entries.map(({ verdict, reason, problem, name, data, passType, at, isWaiting, conflict }) =>
      make("li", verdict, [
        drawing(verdict),
        make("div", "", [
          make("strong", "", [name ?? shorten(data)]),
          make("span", "detail", [
            [
              say(verdict),
              verdict === "unchecked" ? "" : sayReason({ reason, problem }) || passType,
            ]
              .filter((part) => part !== undefined && part !== "")
              .join(" · "),
          ]),
        ]),
        isWaiting ? make("span", "mark", [say("waitingMark")]) : undefined,
        conflict === undefined ? undefined : make("span", "mark bad", [say("conflictMark")]),
        make("time", "", [time(at)], { dateTime: at }),
      ]),
    ),
  );
  byId("history-empty").hidden = entries.length > 0;
}

const shorten = (text) => (text.length > 28 ? `${text.slice(0, 27)}…` : text);

async function startCamera(facing = device?.settings.camera) {
  byId("camera-problem").textContent = "";
  try {
    await camera.start(facing);
  } catch (problem) {
    byId("camera-problem").textContent = say(String(problem));
  }
  await drawCamera();
}

/** Only where the person has allowed it before: a question out of nowhere is refused. */
async function startCameraQuietly() {
  try {
    const { state } = await navigator.permissions.query({ name: "camera" });
    if (state === "granted") await startCamera();
  } catch {
    // Browsers that do not know the question start it by the button.
  }
}

async function drawCamera() {
  const { isRunning } = camera;
  byId("camera").classList.toggle("running", isRunning);
  byId("camera-call").hidden = isRunning;
  byId("camera-tools").hidden = !isRunning;
  byId("camera-hint").hidden = !isRunning;
  byId("torch").hidden = !isRunning || !camera.hasTorch;
  byId("torch").setAttribute("aria-pressed", "false");
  if (!isRunning) return;
  const devices = await navigator.mediaDevices.enumerateDevices().catch(() => []);
  byId("camera-turn").hidden = devices.filter(({ kind }) => kind === "videoinput").length < 2;
}

function listen() {
  for (const name of ["pointerdown", "keydown"]) addEventListener(name, wakeSound);
  let facing = "environment";
  byId("camera-start").addEventListener("click", () => void startCamera());
  byId("camera-stop").addEventListener("click", () => {
    camera.stop();
    void drawCamera();
  });
  byId("camera-turn").addEventListener("click", () => {
    facing = facing === "user" ? "environment" : "user";
    void startCamera(facing);
  });
  byId("torch").addEventListener("click", ({ currentTarget: button }) => {
    const isOn = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isOn));
    camera.setTorch(isOn).catch(() => button.setAttribute("aria-pressed", "false"));
  });
  const typed = byId("typed");
  byId("typed-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const data = typed.value;
    if (data === "") return;
    typed.value = "";
    // Else the keyboard of a phone covers the verdict.
    typed.blur();
    void take({ data, type: "manual" });
  });
  listenToGun(typed, (data) => void take({ data, type: device?.settings.gunType ?? "qrcode" }));
  byId("conflict-seen").addEventListener("click", async () => {
    await markConflictsSeen();
    await drawState();
  });
  link.addEventListener("change", () => void drawState());
  link.addEventListener("keygone", () => void loseKey());
  addEventListener("online", () => void keepUp());
  addEventListener("offline", () => link.report(new Failure({ status: 0, detail: "offline" })));
  document.addEventListener("visibilitychange", onVisibility);
  setInterval(() => void (link.isOnline ? drawState() : keepUp()), RETRY_MS);
  setInterval(() => void keepUp(), UPKEEP_MS);
}

let wasRunning = false;

/** A camera that nobody looks at needs power, and worries people. */
function onVisibility() {
  if (document.hidden) {
    wasRunning = camera.isRunning;
    camera.stop();
    void drawCamera();
    return;
  }
  if (wasRunning && device !== undefined) void startCamera();
  void keepUp();
}

async function readMenu() {
  const waiting = await outbox.waiting();
  const mine = waiting.filter(({ tenantId }) => tenantId === device.tenantId).length;
  return {
    device,
    list: list.head,
    isListBroken: list.isBroken,
    waiting: mine,
    waitingElsewhere: waiting.length - mine,
    hasSound: preferences().sound,
  };
}

async function start() {
  await startClock();
  await speak(navigator.languages);
  listen();
  const pairByLink = preparePairing(enter);
  prepareMenu({
    readState: readMenu,
    onRefresh: keepUp,
    onSound: (isOn) => {
      hasSound = isOn;
    },
    onUnpair: async () => {
      await forgetPairing();
      list.forget();
      await leave();
    },
  });
  const pairing = await readPairing();
  if (pairing === undefined) await leave();
  else await enter(pairing);
  pairByLink();
  navigator.storage?.persist?.().catch(() => {});
  await navigator.serviceWorker?.register("scan/worker.js", { scope: "scan" }).catch(() => {});
}

await start();
