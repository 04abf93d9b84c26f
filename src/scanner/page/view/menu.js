// The sheet with the device, its list and its end.
import { now } from "../scans/clock.js";
import { byId, make } from "./dom.js";
import { ago, number, say, time } from "./words.js";

export function prepareMenu({ readState, onRefresh, onSound, onUnpair }) {
  const dialog = byId("menu");
  const facts = byId("menu-facts");
  const sound = byId("menu-sound");
  const ask = byId("menu-ask");

  const draw = async () => {
    const { device, list, isListBroken, waiting, waitingElsewhere, hasSound } = await readState();
    sound.checked = hasSound;
    const rows = [
      [say("device"), device?.name ?? device?.deviceId],
      [say("tenant"), device?.tenantId],
      [say("list"), listText(device, list, isListBroken)],
      waiting === 0 ? undefined : [say("toSend"), number(waiting)],
      waitingElsewhere === 0 ? undefined : [say("toSendElsewhere"), number(waitingElsewhere)],
    ];
    facts.replaceChildren(
      ...rows
        .filter((row) => row?.[1] !== undefined)
        .map(([name, value]) => make("div", "", [make("dt", "", [name]), make("dd", "", [value])])),
    );
    byId("unpair-waiting").hidden = waiting === 0;
    byId("unpair-waiting").textContent = say("unpairWaiting", { count: number(waiting) });
  };

  byId("menu-button").addEventListener("click", async () => {
    ask.hidden = true;
    await draw();
    dialog.showModal();
  });
  byId("menu-close").addEventListener("click", () => dialog.close());
  // A tap beside the sheet closes it.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  byId("menu-refresh").addEventListener("click", async () => {
    byId("menu-refresh").disabled = true;
    try {
      await onRefresh();
    } finally {
      byId("menu-refresh").disabled = false;
      await draw();
    }
  });
  sound.addEventListener("change", () => onSound(sound.checked));
  byId("unpair").addEventListener("click", () => {
    ask.hidden = false;
    byId("unpair-no").focus();
  });
  byId("unpair-no").addEventListener("click", () => {
    ask.hidden = true;
    byId("unpair").focus();
  });
  byId("unpair-yes").addEventListener("click", async () => {
    dialog.close();
    await onUnpair();
  });
}

function listText(device, list, isBroken) {
  if (device?.settings.gateList === false) return say("listOff");
  if (isBroken) return say("listBroken");
  if (list === undefined) return say("listNone");
  const age = say("listAge", { age: ago(list.checkedAt, now()), count: number(list.count) });
  return `${age}, ${say("listUntil", { time: time(list.expiresAt) })}`;
}
