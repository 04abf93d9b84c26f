import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Server = {
  readonly url: string;
  /** From the moment it was asked for to its first good answer. */
  readonly startSeconds: number;
  stop(): Promise<void>;
};

export type ServerOptions = {
  /** The file, and before it the options of Node if there are any. */
  readonly program: string | readonly string[];
  readonly words?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By which it learns its port. */
  readonly portVariable?: "PORT" | "METRICS_PORT";
  /** Answers 200 as soon as the server is ready. */
  readonly readyPath: string;
  /** Gets what the process writes, through a file descriptor of its own, as in operation. */
  readonly outputFile: string;
};

const START_SECONDS_MAX = 60;
const STOP_SECONDS_MAX = 35;
const POLL_MS = 5;

/** Runs a Node program as a process of its own, and waits until it answers. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const port = await freePort();
  const output = await open(options.outputFile, "a");
  const startedAt = performance.now();
  const child = spawn(process.execPath, [options.program, options.words ?? []].flat(), {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // For a profile of all that is measured.
      NODE_OPTIONS: process.env.NODE_OPTIONS,
      ...options.env,
      [options.portVariable ?? "PORT"]: String(port),
    },
    stdio: ["ignore", output.fd, output.fd],
  });
  await output.close();
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitUntilReady(child, `${url}${options.readyPath}`, options.outputFile);
  } catch (error) {
    await stop(child);
    throw error;
  }
  const startSeconds = (performance.now() - startedAt) / 1_000;
  return { url, startSeconds, stop: () => stop(child) };
}

async function waitUntilReady(child: ChildProcess, url: string, outputFile: string): Promise<void> {
  const until = performance.now() + START_SECONDS_MAX * 1_000;
  while (performance.now() < until && child.exitCode === null) {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    );
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await sleep(POLL_MS);
  }
  const output = await readFile(outputFile, "utf8");
  throw new Error(`${child.spawnargs.join(" ")} does not answer: ${output.slice(-1_000)}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_SECONDS_MAX * 1_000);
  await exit;
  clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
