// The form in which the owner of a phone signs up, as Wallet shows it when a pass asks for that.
import { make } from "./card.js";

const LABELS = {
  givenName: ["First name", "text"],
  familyName: ["Last name", "text"],
  emailAddress: ["E-mail address", "email"],
  phoneNumber: ["Phone number", "tel"],
  postalCode: ["Postal code", "text"],
  ISOCountryCode: ["Country (two letters)", "text"],
};

const at = (name) => document.getElementById(`enrolment${name}`);
const [dialog, form, logo] = [at(""), at("-form"), at("-logo")];
const outcome = at("-outcome");

let send;

function question(name) {
  const [label, type] = LABELS[name] ?? [name, "text"];
  const input = make("input", "", [], { name, type, required: true, maxLength: 300 });
  return make("label", "", [label, input]);
}

const piece = ({ text, href }) =>
  href === undefined
    ? text
    : make("a", "", [text], { href, rel: "noreferrer noopener", target: "_blank" });

/** Shows the form of a card; `onSend` gets what was written, and may refuse it by an error. */
export function askOwner({ enrolment }, onSend) {
  send = onSend;
  const { description, terms, inputs } = enrolment;
  logo.hidden = enrolment.logo === undefined;
  if (enrolment.logo !== undefined) logo.src = enrolment.logo;
  at("-text").textContent = description;
  at("-inputs").replaceChildren(...inputs.map(question));
  at("-terms").hidden = terms.length === 0;
  at("-terms").replaceChildren(...terms.map(piece));
  outcome.hidden = true;
  dialog.showModal();
}

at("-cancel").addEventListener("click", () => dialog.close());

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  outcome.hidden = true;
  try {
    await send(Object.fromEntries(new FormData(form)));
    dialog.close();
  } catch (error) {
    outcome.textContent = error.message;
    outcome.hidden = false;
  } finally {
    button.disabled = false;
  }
});
