import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/*
 * Chromium as people have it. Playwright, as any debugger, makes the browser note where errors come
 * from; React makes a few errors when it is loaded, so the whole program is parsed a second time, which
 * takes a tenth of a second that nobody waits for without a debugger. Here, nobody looks at the page
 * until it has been drawn; the browser itself remembers when that was.
 */

const STARTED_MS_MAX = 30_000;
/** By then, a page has been drawn, or the line fails. */
const DRAWN_MS = 3_000;

type Cookie = { readonly name: string; readonly value: string };

export type UnwatchedBrowser = {
  /** A person whose browser has nothing of these pages yet but their cookies. */
  openContext(cookies: readonly Cookie[]): Promise<UnwatchedContext>;
  close(): Promise<void>;
};

export type UnwatchedContext = {
  /** Milliseconds from the begin of the visit until the first text of `main` was on the screen. */
  visit(address: string): Promise<number>;
  close(): Promise<void>;
};

export async function openUnwatched(executable: string, folder: string): Promise<UnwatchedBrowser> {
  const child = spawn(
    executable,
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--no-first-run",
      "--remote-debugging-port=0",
      `--user-data-dir=${folder}`,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const send = await connect(await debuggerOf(child));
  return {
    async openContext(cookies) {
      const { browserContextId } = await send("Target.createBrowserContext");
      await send("Storage.setCookies", { cookies, browserContextId });
      const { targetId } = await send("Target.createTarget", {
        url: "about:blank",
        browserContextId,
      });
      return {
        visit: (address) => visit(send, String(targetId), address),
        close: () => send("Target.disposeBrowserContext", { browserContextId }).then(),
      };
    },
    async close() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** The address that Chromium prints when it is ready. */
async function debuggerOf({ stderr }: ChildProcess): Promise<string> {
  let printed = "";
  const signal = AbortSignal.timeout(STARTED_MS_MAX);
  for (;;) {
    const [chunk] = await once(stderr as NonNullable<typeof stderr>, "data", { signal });
    printed += chunk;
    const [address] = /ws:\/\/\S+/.exec(printed) ?? [];
    if (address !== undefined) return address;
  }
}

type Answer = Readonly<Record<string, unknown>>;
type Send = (method: string, parameters?: object, sessionId?: string) => Promise<Answer>;

async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  await once(socket, "open");
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error.message));
    waiting.delete(id);
  });
  let count = 0;
  return (method, params = {}, sessionId) => {
    count += 1;
    const answer = Promise.withResolvers<Answer>();
    waiting.set(count, answer);
    socket.send(JSON.stringify({ id: count, method, params, sessionId }));
    return answer.promise;
  };
}

/** The browser keeps the times of what it drew for those who ask later. */
const DRAWN = `new Promise((tell) => {
  new PerformanceObserver((list) => {
    const [first] = list.getEntries().filter(({ element }) => element?.closest("main"));
    tell(first?.startTime ?? 0);
  }).observe({ type: "largest-contentful-paint", buffered: true });
})`;

async function visit(send: Send, targetId: string, url: string): Promise<number> {
  const attach = async () => {
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    return String(sessionId);
  };
  const navigating = await attach();
  await send("Page.navigate", { url }, navigating);
  await send("Target.detachFromTarget", { sessionId: navigating });
  await sleep(DRAWN_MS);
  const asking = await attach();
  const asked = { expression: DRAWN, awaitPromise: true, returnByValue: true, timeout: DRAWN_MS };
  const { result } = await send("Runtime.evaluate", asked, asking);
  await send("Target.detachFromTarget", { sessionId: asking });
  const { value } = result as { value?: number };
  if (value === undefined || value === 0) throw new Error(`${url} was not drawn.`);
  return value;
}
