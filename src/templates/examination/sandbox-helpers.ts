import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { compileCacheFolder } from "#kernel/compile-cache.ts";
import type { RuleAddresses } from "./rules.ts";

/** The processes in which files of tenants are examined: see sandbox.ts. */

export type HelperOptions = {
  readonly memoryMb?: number;
  readonly rules: RuleAddresses;
  /** A module that answers the same messages as sandbox-program.ts. */
  readonly program?: URL;
  /** A helper that is not ready after so long is killed. */
  readonly readyMsMax?: number;
};

const MEMORY_MB_MAX = 96;
/** Loading the code takes half a second of processor time, on a busy machine much longer. */
const READY_MS_MAX = 20_000;
/** Requests and the database get processor time first. */
const NICENESS = 5;
const IDLE_MAX = 2;
const IDLE_MS_MAX = 5 * 60_000;
const SETS_OF_A_HELPER_MAX = 200;

const isOrdinary = ({ program, memoryMb }: HelperOptions): boolean =>
  program === undefined && memoryMb === undefined;

const argumentOf = ({ rules }: HelperOptions): string => JSON.stringify(rules);

export class SandboxHelper {
  readonly child: ChildProcess;
  /** False if the process ends, or is killed, before it is ready for work. */
  readonly ready: Promise<boolean>;
  /** How many sets of files this helper has examined. */
  examined = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #end: (() => void) | undefined;

  /** Runs the usual program with the usual memory, so that it may be kept for any other set. */
  readonly isOrdinary: boolean;
  readonly #argument: string;

  constructor(options: HelperOptions) {
    const { program, memoryMb, readyMsMax = READY_MS_MAX } = options;
    this.isOrdinary = isOrdinary(options);
    this.#argument = argumentOf(options);
    const module = program ?? new URL("./sandbox-program.ts", import.meta.url);
    const child = fork(fileURLToPath(module), [this.#argument], {
      execArgv: [
        `--max-old-space-size=${memoryMb ?? MEMORY_MB_MAX}`,
        "--max-semi-space-size=8",
        "--disable-warning=ExperimentalWarning",
        // The files of one tenant cannot change built-in objects that the next tenant's files use.
        "--frozen-intrinsics",
        "--disallow-code-generation-from-strings",
      ],
      // Uses what the service has compiled already, so that the helper starts faster.
      env: { NODE_COMPILE_CACHE: compileCacheFolder() },
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    standBack(child.pid);
    this.child = child;
    this.ready = new Promise<boolean>((resolve) => {
      const overdue = setTimeout(() => {
        this.kill();
        resolve(false);
      }, readyMsMax);
      const settle = (isReady: boolean) => {
        clearTimeout(overdue);
        resolve(isReady);
      };
      child.once("message", () => settle(true));
      child.once("error", () => settle(false));
      child.once("exit", () => settle(false));
    });
  }

  /** True if the helper was started with the same rules. */
  knows(options: HelperOptions): boolean {
    return this.#argument === argumentOf(options);
  }

  /** An idle helper does not keep the service from ending, and is ended after a while. */
  rest(end: () => void): void {
    this.child.unref();
    this.child.channel?.unref();
    this.#idleTimer = setTimeout(end, IDLE_MS_MAX).unref();
    this.#end = end;
    this.child.once("exit", end);
  }

  wake(): void {
    clearTimeout(this.#idleTimer);
    if (this.#end !== undefined) this.child.off("exit", this.#end);
    this.child.ref();
    this.child.channel?.ref();
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }
}

function standBack(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, NICENESS);
  } catch {
    // The process has ended already, or the system does not allow another priority.
  }
}

/**
 * Helpers that wait for work. Loading the code takes half a second of processor time, much longer
 * than examining most sets, so a helper that succeeded is used again. A helper that failed is
 * killed. A helper that has examined many sets is replaced, which frees the memory it has
 * collected.
 */
const idle: SandboxHelper[] = [];

export function takeHelper(options: HelperOptions): SandboxHelper {
  while (isOrdinary(options)) {
    const helper = idle.pop();
    if (helper === undefined) break;
    helper.wake();
    if (helper.child.connected && helper.knows(options)) return helper;
    helper.kill();
  }
  return new SandboxHelper(options);
}

export function keepHelper(helper: SandboxHelper): void {
  helper.examined += 1;
  const isWornOut = helper.examined >= SETS_OF_A_HELPER_MAX;
  if (idle.length >= IDLE_MAX || isWornOut || !helper.isOrdinary) {
    helper.kill();
    return;
  }
  idle.push(helper);
  helper.rest(() => {
    const at = idle.indexOf(helper);
    if (at !== -1) idle.splice(at, 1);
    helper.kill();
  });
}
