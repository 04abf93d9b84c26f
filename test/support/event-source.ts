import { startWait } from "./slowness.ts";
import type { TestApi } from "./start-api.ts";

export type StreamMessage = {
  readonly id: string;
  readonly event: string | undefined;
  readonly data: string | undefined;
};

type Credential = { readonly key: string } | { readonly bearer: string };
type Options = Credential & { readonly lastEventId?: string };

/** A transaction of any database on the same server holds back events, those of other tests too. */
const TIMEOUT_MS = 60_000;

export type EventSource = Awaited<ReturnType<typeof openEvents>>;

/** A client of server-sent events, as a browser reads them. */
export async function openEvents(api: Pick<TestApi, "url">, path: string, options: Options) {
  const leaving = new AbortController();
  const headers = new Headers(
    "key" in options ? { "x-api-key": options.key } : { authorization: `Bearer ${options.bearer}` },
  );
  if (options.lastEventId !== undefined) headers.set("last-event-id", options.lastEventId);
  const response = await fetch(api.url + path, { headers, signal: leaving.signal });
  const messages: StreamMessage[] = [];
  const comments: string[] = [];
  let lastEventId = options.lastEventId ?? "";
  let isEnded = false;
  let isComplete = false;
  let wake = () => {};

  async function readAll(body: NonNullable<typeof response.body>): Promise<void> {
    let rest = "";
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) take(block);
      wake();
    }
    isComplete = true;
  }

  function take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split("\n")) {
      const [, name = "", value = ""] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
      fields.set(name, value);
    }
    if (fields.has("")) comments.push(block);
    lastEventId = fields.get("id") ?? lastEventId;
    const [event, data] = [fields.get("event"), fields.get("data")];
    if (data !== undefined) messages.push({ id: lastEventId, event, data });
  }

  const reading =
    response.status === 200 && response.body !== null ? readAll(response.body) : undefined;
  const ended = Promise.resolve(reading)
    .catch(() => undefined)
    .finally(() => {
      isEnded = true;
      wake();
    });

  /** Resolves when the condition holds; fails when it does not within a minute. */
  async function until(what: string, condition: () => boolean): Promise<void> {
    const isOver = startWait(TIMEOUT_MS);
    while (!condition()) {
      if (isOver()) throw new Error(`Waited in vain for ${what}: ${JSON.stringify(messages)}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 100);
      });
    }
  }

  return {
    status: response.status,
    headers: response.headers,
    messages,
    comments,
    until,
    text: () => response.text(),
    lastEventId: () => lastEventId,
    /** Until there is a place to go on from: what happens from now on is heard. */
    async started() {
      await until("the first place", () => lastEventId !== "");
    },
    async count(wanted: number) {
      await until(`${wanted} messages`, () => messages.length >= wanted);
      return messages;
    },
    /** By the server, in good order. */
    async ended() {
      await until("the end", () => isEnded);
      await ended;
      if (!isComplete) throw new Error("The stream was cut off.");
    },
    async close() {
      leaving.abort();
      await ended;
    },
  };
}
