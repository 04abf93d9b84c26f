import { type ChildProcess, spawn } from "node:child_process";
import { on, once } from "node:events";
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
  /**
   * Milliseconds from the beginning of the visit until the text in the head of the page, the largest so
   * far, was on the screen. Fails if another page is there, such as the one to sign in.
   */
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
  const send = await connectTo(child);
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
    close: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  if (!isRunning) return;
  child.kill();
  await once(child, "exit");
}

async function connectTo(child: ChildProcess): Promise<Send> {
  const failed = new Promise<never>((_resolve, reject) => {
    child.on("error", reject);
  });
  try {
    return await Promise.race([failed, debuggerOf(child).then(connect)]);
  } catch (error) {
    await stop(child);
    throw error;
  }
}

/** The address that Chromium prints when it is ready. What follows it shows that all of it is there. */
async function debuggerOf({ stderr }: ChildProcess): Promise<string> {
  let printed = "";
  const signal = AbortSignal.timeout(STARTED_MS_MAX);
  const output = stderr as NonNullable<typeof stderr>;
  for await (const [chunk] of on(output, "data", { signal, close: ["end"] })) {
    printed += chunk;
    const [address] = /ws:\/\/\S+(?=\s)/.exec(printed) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error(`Chromium ended before it was ready: ${printed}`);
}

type Answer = Readonly<Record<string, unknown>>;
type Send = (method: string, parameters?: object, sessionId?: string) => Promise<Answer>;

async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  const opened = Promise.withResolvers<void>();
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  const lost = () => new Error("The connection to Chromium is lost.");
  const giveUp = () => {
    opened.reject(lost());
    for (const { reject } of waiting.values()) reject(lost());
    waiting.clear();
  };
  socket.addEventListener("open", () => opened.resolve());
  socket.addEventListener("close", giveUp);
  socket.addEventListener("error", giveUp);
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error.message));
    waiting.delete(id);
  });
  await opened.promise;
  let count = 0;
  return async (method, params = {}, sessionId) => {
    // A socket that is closed would drop the question without a word.
    if (socket.readyState !== WebSocket.OPEN) throw lost();
    count += 1;
    const answer = Promise.withResolvers<Answer>();
    waiting.set(count, answer);
    socket.send(JSON.stringify({ id: count, method, params, sessionId }));
    return await answer.promise;
  };
}

/**
 * The browser keeps the times of what it drew for those who ask later. 0 if it did not draw the page: the
 * one to sign in has a `main` as well, but no navigation. The time limit stands in the expression, because
 * that of `Runtime.evaluate` does not count while a promise is awaited.
 */
const drawnAt = (address: string) => `new Promise((tell) => {
  const isThere =
    document.querySelector("nav a") &&
    document.querySelector("main h1") &&
    location.pathname === ${JSON.stringify(new URL(address).pathname)};
  if (!isThere) return tell(0);
  setTimeout(tell, ${DRAWN_MS}, 0);
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
  const asked = { expression: drawnAt(url), awaitPromise: true, returnByValue: true };
  const { result } = await send("Runtime.evaluate", asked, asking);
  await send("Target.detachFromTarget", { sessionId: asking });
  const { value } = result as { value?: number };
  if (value === undefined || value === 0) throw new Error(`${url} was not drawn.`);
  return value;
}
