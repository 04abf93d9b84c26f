// The verdict, as large as the screen allows: by colour, shape, words, sound and to screen readers.
import { byId, drawing, make, shorten } from "./dom.js";
import { hasWord, number, say } from "./words.js";

export function sayReason({ reason, problem }) {
  if (reason === undefined || reason === null) return "";
  const name = `reason.${reason}`;
  return hasWord(name) ? say(name, { problem }) : say("reason.other", { reason });
}

/** `onRedeem` is called with a privilege and an amount, `onNext` when the person is done. */
export class ResultView {
  #panel = byId("result");
  #spoken = byId("spoken");
  #onRedeem;
  #onNext;

  constructor({ onRedeem, onNext }) {
    this.#onRedeem = onRedeem;
    this.#onNext = onNext;
  }

  /** Gives whether there is something left to do for the person. */
  show(outcome) {
    const { verdict, name, passType, data } = outcome;
    const reason = sayReason(outcome);
    const rows = privilegeRows(outcome, this.#onRedeem);
    const next = make("button", "next", [say("next")], { type: "button" });
    next.addEventListener("click", this.#onNext);
    this.#panel.replaceChildren(
      make("div", "verdict", [
        drawing(verdict),
        make("h2", "", [say(verdict)]),
        reason === "" ? undefined : make("p", "reason", [reason]),
      ]),
      make("div", "holder", [
        // Without a name, the code shows that the right thing was read.
        name === undefined ? make("p", "code", [shorten(data)]) : make("p", "name", [name]),
        passType === undefined ? undefined : make("p", "type", [passType]),
        ...notesOf(outcome).map((note) => make("p", "note", [note])),
      ]),
      ...(rows.length === 0
        ? []
        : [make("ul", "privileges", rows, { ariaLabel: say("privileges") })]),
      next,
    );
    document.body.dataset.verdict = verdict;
    this.#panel.hidden = false;
    scrollTo(0, 0);
    // Emptied first: the same words again are news, too.
    this.#spoken.textContent = "";
    setTimeout(() => {
      this.#spoken.textContent = [say(verdict), reason, name, passType, ...notesOf(outcome)]
        .filter((part) => part !== undefined && part !== "")
        .join(". ");
    }, 30);
    return rows.some((row) => row.querySelector("form") !== null);
  }

  /** The service is asked, and takes its time. */
  wait() {
    this.#panel.replaceChildren(make("div", "verdict", [make("h2", "", [say("checking")])]));
    document.body.dataset.verdict = "checking";
    this.#panel.hidden = false;
  }

  clear() {
    delete document.body.dataset.verdict;
    this.#panel.hidden = true;
    this.#panel.replaceChildren();
  }
}

function notesOf({ verdict, isOffline, isRepeated, movement }) {
  return [
    movement === undefined ? "" : say("redeemed", { amount: number(Math.abs(movement.value)) }),
    isOffline && verdict !== "unchecked" ? say("decidedOffline") : "",
    isRepeated ? say("repeated") : "",
  ].filter((note) => note !== "");
}

function privilegeRows({ privileges = [], verdict, redeem }, onRedeem) {
  return privileges.map((privilege) => {
    const isOpen =
      verdict === "accepted" &&
      privilege.status === "available" &&
      redeem === undefined &&
      hasSomething(privilege);
    return make("li", "", [
      make("span", "label", [privilege.name || privilege.privilegeId]),
      make("span", "value", [stateOf(privilege)]),
      isOpen ? redeemForm(privilege, onRedeem) : undefined,
    ]);
  });
}

function hasSomething({ type, value, minimum }) {
  return type === "Unlimited" || value === null || value > minimum;
}

function stateOf({ status, value, unit, type }) {
  const parts = [];
  if (value !== null && value !== undefined) parts.push(`${number(value)} ${unit ?? ""}`.trim());
  else if (type === "Unlimited") parts.push(say("unlimited"));
  if (status !== "available" || parts.length === 0) parts.push(say(`status.${status}`));
  return parts.join(" · ");
}

function redeemForm(privilege, onRedeem) {
  const name = privilege.name || privilege.privilegeId;
  const hasAmount = privilege.type !== "OneTime";
  const field = make("input", "", [], {
    type: "text",
    inputMode: "decimal",
    autocomplete: "off",
    maxLength: 20,
    value: "1",
    ariaLabel: say("amountOf", { name }),
    hidden: !hasAmount,
  });
  const button = make("button", "redeem", [say("redeem")], {
    type: "submit",
    ariaLabel: say("redeemOf", { name }),
  });
  const form = make("form", "", [field, button], { noValidate: true });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = hasAmount ? amountOf(field.value) : 1;
    field.setCustomValidity(wanted === undefined ? say("amountWrong") : "");
    if (!field.reportValidity() || wanted === undefined) return;
    button.disabled = true;
    onRedeem(privilege.privilegeId, wanted);
  });
  return form;
}

/** Undefined for what is no amount. People write the point of a number as their country does. */
function amountOf(typed) {
  const plain = typed.trim().replace(",", ".");
  if (!/^\d{1,15}(\.\d{1,4})?$/.test(plain) || Number(plain) === 0) return undefined;
  return Number(plain);
}
