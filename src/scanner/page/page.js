// Wires the page: which view is shown, what a code leads to, and when the service is tried again.

import { Camera } from "./reading/camera.js";
import { listenToGun } from "./reading/gun.js";
import { createApi, Failure } from "./scans/api.js";
import { now, startClock } from "./scans/clock.js";
import { GateList } from "./scans/gate-list.js";
import { dropSettled, markConflictsSeen, readConflicts, readHistory } from "./scans/history.js";
import { Link } from "./scans/link.js";
import { Outbox } from "./scans/outbox.js";
import { Scans } from "./scans/scans.js";
import { readSettings } from "./scans/settings.js";
import { clear, read, write } from "./scans/store.js";
import { byId, make, setText } from "./view/dom.js";
import { drawConflicts, drawHistory } from "./view/history.js";
import { prepareMenu } from "./view/menu.js";
import { forgetKey, forgetPairing, preparePairing, readPairing } from "./view/pairing.js";
import { ResultView } from "./view/result.js";
import { playVerdict, wakeSound } from "./view/sound.js";
import { ago, number, say, speak } from "./view/words.js";

/** How often the service is tried while it is away, and what changed is asked for otherwise. */
const RETRY_MS = 10_000;
const UPKEEP_MS = 5 * 60_000;
/** Most answers come sooner, and a word that only flashes up is of no use. */
const CHECKING_AFTER_MS = 250;

const link = new Link();
const tabs = new BroadcastChannel("billfold-scanner");
/** Told to other tabs, so that they say why this browser is not paired any more. */
const KEY_GONE = "key-gone";
const list = new GateList();
const outbox = new Outbox({ link, list, onChange: () => void drawState() });
const view = new ResultView({ onRedeem: redeem, onNext: showDesk });
const camera = new Camera(byId("video"), {
  onCode: (code) => void take(code),
  onEnd() {
    setText(byId("camera-problem"), say("cameraBusy"));
    void drawCamera();
  },
});

/** What this browser is paired as, or undefined. */
let device;
let scans;
let shown;
let timer;
/** What the person chose in the menu counts more than the settings of the device. */
let hasSound;
/** The side of the camera that was started last. */
let facing;

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
    await outbox.flush(device);
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
  const waiting = setTimeout(showChecking, CHECKING_AFTER_MS);
  try {
    const outcome = await scans.scan(code, wish);
    clearTimeout(waiting);
    // Whoever was unpaired meanwhile is told that.
    if (device !== undefined) show(outcome);
  } catch (error) {
    clearTimeout(waiting);
    if (device !== undefined) {
      show({ ...code, verdict: "unchecked", reason: "not-kept", problem: error.message });
    }
  } finally {
    document.body.classList.remove("busy");
  }
  await drawState();
}

/** What the screen says of the code before must not be taken for an answer to this one. */
function showChecking() {
  clearTimeout(timer);
  shown = undefined;
  view.wait();
}

function redeem(privilegeId, amount) {
  if (shown !== undefined) void take(shown, { privilegeId, amount });
}

function show(outcome) {
  shown = outcome;
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
  const { apiKey } = device;
  device = undefined;
  // Another tab may have been paired again already.
  if (await forgetKey(apiKey)) {
    list.forget();
    await dropSettled();
    tabs.postMessage(KEY_GONE);
  }
  const other = await readPairing();
  if (other !== undefined) return await enter(other);
  await leave();
  byId("key-gone").hidden = false;
}

/** Another tab of this browser was paired or unpaired, or lost its key: this one is the same device. */
async function followPairing(why) {
  const pairing = await readPairing();
  if (pairing?.apiKey === device?.apiKey) return;
  if (pairing !== undefined) return await enter(pairing);
  await leave();
  byId("key-gone").hidden = why !== KEY_GONE;
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
  const state = link.isOnline ? say("online") : say("offline");
  setText(badge, mine === 0 ? state : `${state} · ${number(mine)}`);
  setText(byId("device-name"), device?.name ?? say("scanner"));
  byId("pair-waiting").hidden = waiting.length === 0;
  setText(byId("pair-waiting"), say("keptWaiting", { count: number(waiting.length) }));
  drawOffline(mine);
  drawConflicts(device === undefined ? [] : await readConflicts());
  drawHistory(await readHistory());
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

async function startCamera(wanted = device?.settings.camera) {
  byId("camera-problem").textContent = "";
  facing = wanted;
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
    if (state === "granted" && !document.hidden) await startCamera();
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
  byId("camera-start").addEventListener("click", () => void startCamera());
  byId("camera-stop").addEventListener("click", () => {
    camera.stop();
    void drawCamera();
  });
  byId("camera-turn").addEventListener("click", () => {
    void startCamera(facing === "user" ? "environment" : "user");
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
  const fields = { field: typed, isAmount: (input) => byId("result").contains(input) };
  listenToGun(fields, (data) => void take({ data, type: device?.settings.gunType ?? "qrcode" }));
  byId("conflict-seen").addEventListener("click", async () => {
    await markConflictsSeen();
    await drawState();
  });
  link.addEventListener("change", () => void drawState());
  link.addEventListener("keygone", () => void loseKey());
  tabs.addEventListener("message", ({ data }) => void followPairing(data));
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
  await speak(navigator.languages);
  await startClock();
  listen();
  const pairByLink = preparePairing(async (pairing) => {
    tabs.postMessage("pairing");
    await enter(pairing);
  });
  prepareMenu({
    readState: readMenu,
    onRefresh: keepUp,
    onSound: (isOn) => {
      hasSound = isOn;
    },
    onUnpair: async () => {
      await forgetPairing();
      list.forget();
      tabs.postMessage("pairing");
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

try {
  await start();
} catch (error) {
  // A browser that forbids pages to keep anything: without a key and an outbox there is no scanner.
  setText(byId("broken"), say("broken", { problem: error.message }));
  byId("broken").hidden = false;
}
