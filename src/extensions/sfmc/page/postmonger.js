/**
 * Speaks to Journey Builder, in whose frame the page stands. A message is the text of a JSON object: `e`
 * names the event, and what belongs to it are the other members, `a1` and so on.
 */
export function connect(frame, onEvent) {
  // Who stands around the page is known by its first message. Until then nothing is said that
  // others may not hear.
  let origin = "*";
  frame.addEventListener("message", (message) => {
    if (message.source !== frame.parent) return;
    if (origin !== "*" && message.origin !== origin) return;
    const event = read(message.data);
    if (event === undefined) return;
    origin = message.origin;
    onEvent(event.name, event.value);
  });
  return (name, value) => {
    const message = value === undefined ? { e: name } : { e: name, a1: value };
    frame.parent.postMessage(JSON.stringify(message), origin);
  };
}

function read(data) {
  if (typeof data !== "string") return undefined;
  try {
    const { e: name, ...values } = JSON.parse(data);
    return typeof name === "string" ? { name, value: Object.values(values)[0] } : undefined;
  } catch {
    return undefined;
  }
}
