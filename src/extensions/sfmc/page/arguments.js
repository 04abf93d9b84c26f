/** Between what people enter and the arguments that Journey Builder keeps and sends. */

const DATA = "additionalData.";
const IDENTIFIER = "identifiers.";
const TEXT = "notification.text";

/** One object with flat names: Journey Builder fills in attributes only where a value is a text. */
export function toArguments({ action, passType, identifier, rows, text }) {
  const tells = text !== "";
  const setsData = action !== "notifyPass";
  return [
    {
      action,
      ...(action === "createPass" ? { passType } : {}),
      [`${IDENTIFIER}${identifier.name}`]: identifier.value,
      ...(setsData ? Object.fromEntries(rows.map((row) => [`${DATA}${row.name}`, row.value])) : {}),
      ...(tells ? { [TEXT]: text } : {}),
    },
  ];
}

/** Undefined where the activity was never set up. */
export function fromArguments(inArguments) {
  const sent = Object.assign({}, ...(Array.isArray(inArguments) ? inArguments : []));
  if (typeof sent.action !== "string") return undefined;
  const entries = Object.entries(sent).filter(([, value]) => typeof value === "string");
  const named = entries.find(([name]) => name.startsWith(IDENTIFIER));
  return {
    action: sent.action,
    passType: sent.passType,
    identifier: named && { name: named[0].slice(IDENTIFIER.length), value: named[1] },
    rows: entries
      .filter(([name]) => name.startsWith(DATA))
      .map(([name, value]) => ({ name: name.slice(DATA.length), value })),
    text: sent[TEXT] ?? "",
  };
}

/** What is wrong, and the field; undefined if nothing is. */
export function problemOf({ action, passType, identifier, rows, text }) {
  if (action === "createPass" && !passType) {
    return { field: "passType", words: "There is no template yet: publish one first." };
  }
  if (!/^[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+$/.test(identifier.name)) {
    return {
      field: "identifierName",
      words: "The identifier needs a name of two parts, such as crm.customerId.",
    };
  }
  if (identifier.value === "") {
    return { field: "identifierValue", words: "The identifier needs a value." };
  }
  if (action !== "notifyPass") {
    const bad = rows.find(({ name }) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
    if (bad !== undefined) {
      return { field: "rows", words: `'${bad.name}' cannot be the name of a value.` };
    }
    const names = rows.map(({ name }) => name);
    if (new Set(names).size < names.length) {
      return { field: "rows", words: "A value stands there twice." };
    }
  }
  if (action === "notifyPass" && text === "") {
    return { field: "text", words: "The message is empty." };
  }
  return undefined;
}
