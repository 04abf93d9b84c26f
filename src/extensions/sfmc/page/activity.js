import { fromArguments, problemOf, toArguments } from "./arguments.js";
import { connect } from "./postmonger.js";

const find = (id) => document.getElementById(id);
const form = find("activity");
const rows = find("rows");
const fields = form.elements;

/** The activity as Journey Builder gave it: what is not ours goes back unchanged. */
let activity;

const tell = connect(window, (name, value) => {
  if (name === "initActivity") start(value);
  else if (name === "requestedSchema") offer(value);
  else if (name === "clickedNext") save();
  else if (name === "clickedBack") tell("prevStep");
});

function start(given) {
  // It comes again after each `ready`, and what was entered meanwhile must stay.
  if (activity !== undefined) return;
  activity = given && typeof given === "object" ? given : {};
  const known = fromArguments(activity.arguments?.execute?.inArguments);
  if (known !== undefined) {
    fields.action.value = known.action;
    if (known.passType !== undefined) choosePassType(known.passType);
    if (known.identifier !== undefined) {
      fields.identifierName.value = known.identifier.name;
      fields.identifierValue.value = known.identifier.value;
    }
    rows.replaceChildren();
    for (const row of known.rows) addRow(row);
    fields.text.value = known.text;
  }
  form.hidden = false;
  find("state").textContent = "";
  showFitting();
}

/** A template that is gone stays chosen, so that nobody changes it without knowing. */
function choosePassType(name) {
  const there = [...fields.passType.options].some(({ value }) => value === name);
  if (!there) fields.passType.append(new Option(`${name} (no longer there)`, name));
  fields.passType.value = name;
}

/** Attributes of the journey's data, by the words with which they are bound. */
function offer(answer) {
  const schema = Array.isArray(answer?.schema) ? answer.schema : [];
  const keys = schema.map(({ key }) => key).filter((key) => typeof key === "string");
  const options = ["Contact.Key", "InteractionDefaults.Email", ...keys].map((key) => {
    const option = document.createElement("option");
    option.value = `{{${key}}}`;
    return option;
  });
  find("attributes").replaceChildren(...options);
}

function addRow({ name, value } = { name: "", value: "" }) {
  const row = find("row").content.cloneNode(true).firstElementChild;
  row.querySelector(".member").value = name;
  row.querySelector(".value").value = value;
  row.querySelector(".remove").addEventListener("click", () => {
    row.remove();
    find("add").focus();
    change();
  });
  rows.append(row);
  return row;
}

function entered() {
  const text = (element) => element.value.trim();
  return {
    action: fields.action.value,
    passType: fields.passType.value,
    identifier: { name: text(fields.identifierName), value: text(fields.identifierValue) },
    rows: [...rows.children]
      .map((row) => ({
        name: text(row.querySelector(".member")),
        value: text(row.querySelector(".value")),
      }))
      .filter(({ name, value }) => name !== "" || value !== ""),
    text: text(fields.text),
  };
}

/** Shows only what belongs to the chosen action. */
function showFitting() {
  for (const part of form.querySelectorAll("[data-for]")) {
    part.hidden = !part.dataset.for.split(" ").includes(fields.action.value);
  }
}

function change() {
  tell("setActivityDirtyState", true);
}

function save() {
  if (activity === undefined) return;
  const wanted = entered();
  const problem = problemOf(wanted);
  for (const marked of form.querySelectorAll("[aria-invalid]"))
    marked.removeAttribute("aria-invalid");
  find("problem").textContent = problem?.words ?? "";
  if (problem !== undefined) {
    const field = problem.field === "rows" ? rows.querySelector("input") : fields[problem.field];
    field?.setAttribute("aria-invalid", "true");
    field?.focus();
    // The button at the bottom of the frame would otherwise stay as if it were pressed.
    tell("ready");
    return;
  }
  const execute = { ...activity.arguments?.execute, inArguments: toArguments(wanted) };
  activity = {
    ...activity,
    arguments: { ...activity.arguments, execute },
    metaData: { ...activity.metaData, isConfigured: true },
  };
  tell("updateActivity", activity);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
form.addEventListener("input", change);
fields.action.addEventListener("change", showFitting);
find("add").addEventListener("click", () => addRow().querySelector("input").focus());
find("cancel").addEventListener("click", () => tell("destroy"));

tell("ready");
tell("requestSchema");
