export type StreamEvent = { readonly id: string; readonly name: string; readonly data: string };

/**
 * Reads server-sent events from a body. Browsers have `EventSource` for this, but it cannot send a
 * token in a header.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const messages = rest.split("\n\n");
      rest = messages.pop() ?? "";
      for (const message of messages) yield parseMessage(message);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseMessage(message: string): StreamEvent {
  const event = { id: "", name: "", data: "" };
  for (const line of message.split("\n")) {
    const at = line.indexOf(":");
    const value = line.slice(at + 1).replace(/^ /, "");
    if (line.startsWith("id:")) event.id = value;
    else if (line.startsWith("event:")) event.name = value;
    else if (line.startsWith("data:")) event.data += value;
  }
  return event;
}
