import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tooBusy } from "#kernel/fair-gate.ts";
import { SETTINGS_FILE } from "#src/tenants/public.ts";
import { templateFinding } from "../template.findings.ts";
import type { Examination, Texts } from "./examination.ts";
import { type HelperOptions, keepHelper, SandboxHelper, takeHelper } from "./sandbox-helpers.ts";

/**
 * Files of a tenant may be hostile. The template engine checks its own limits, but only at some
 * points, and its releases keep fixing holes in them. So a process with little memory examines the
 * files, and is killed when it takes too long. A thread is not enough: a thread that runs out of
 * memory can end the whole process, or never end.
 */

/** Processor time, not elapsed time, because good templates must not fail on a busy machine. */
const BUDGET_MS = 1_000;
const WALL_MS_MAX = 20_000;
const LOOK_EVERY_MS = 50;

export type SandboxOptions = HelperOptions & { readonly budgetMs?: number };

/**
 * Examines the YAML files of a set. Time and memory are limited, whatever the files contain. The
 * caller limits how many sets are examined at once: checks of configurations wait for their turn.
 */
export async function examineSafely(texts: Texts, options: SandboxOptions): Promise<Examination> {
  const helper = takeHelper(options);
  const outcome = await examineIn(helper, texts, options);
  if (!isFailure(outcome)) return outcome;
  // A used helper may fail because of earlier sets, for example through memory they left. A helper
  // may also end or hang before it gets the files. In these cases a fresh helper decides.
  const isBlamed = helper.examined === 0 && outcome.hasBegun;
  const last = isBlamed ? outcome : await examineIn(new SandboxHelper(options), texts, options);
  if (!isFailure(last)) return last;
  // The files are not to blame for a helper that never got them.
  if (!last.hasBegun) throw tooBusy().because("no helper was ready to examine the files");
  return present(last, texts);
}

type Failure = {
  readonly kind: "too-slow" | "too-large" | "render-failed";
  /** The index of the file that was examined last. */
  readonly at: number;
  readonly hasBegun: boolean;
};

const isFailure = (outcome: Examination | Failure): outcome is Failure => "kind" in outcome;

const SENTENCES: Readonly<Record<Failure["kind"], string>> = {
  "too-slow": "the templates take too long to read and to render",
  "too-large": "the templates need too much memory",
  "render-failed": "the templates cannot be rendered",
};

function present({ kind, at }: Failure, { files }: Texts): Examination {
  const file = [...files.keys()][at] ?? SETTINGS_FILE;
  const findings = [templateFinding(kind, { file }, SENTENCES[kind])];
  return { findings, images: [], namesAllImages: false, stores: [], named: [] };
}

/** Keeps the helper for the next set if the examination succeeded, otherwise kills it. */
async function examineIn(
  helper: SandboxHelper,
  texts: Texts,
  options: SandboxOptions,
): Promise<Examination | Failure> {
  if (!(await helper.ready)) return { kind: "render-failed", at: 0, hasBegun: false };
  const outcome = await outcomeOf(helper.child, texts, options.budgetMs ?? BUDGET_MS);
  if (isFailure(outcome)) helper.kill();
  else keepHelper(helper);
  return outcome;
}

/** The index of the file that is read next, or the final result. */
type Message = number | Examination;

async function outcomeOf(
  child: ChildProcess,
  texts: Texts,
  budgetMs: number,
): Promise<Examination | Failure> {
  const { promise, resolve } = Promise.withResolvers<Examination | Failure>();
  let at = 0;
  const fail = (kind: Failure["kind"]) => resolve({ kind, at, hasBegun: true });
  const last = setTimeout(() => fail("too-slow"), WALL_MS_MAX);
  const hear = (message: Message) => {
    if (typeof message === "number") at = message;
    else resolve(message);
  };
  const failed = () => fail("render-failed");
  const ended = (code: number | null, signal: string | null) =>
    fail(isOutOfMemory(code, signal) ? "too-large" : "render-failed");
  child.on("message", hear).on("error", failed).on("exit", ended);
  // Time spent on loading the code, or on earlier sets, is not counted for this set.
  const before = await processorMs(child.pid);
  const watch = setInterval(() => {
    void processorMs(child.pid).then((now) => {
      if (now - before > budgetMs) fail("too-slow");
    });
  }, LOOK_EVERY_MS);
  try {
    child.send(texts);
    return await promise;
  } catch (error) {
    // Texts that cannot be sent are a defect of this service. The helper must not stay behind.
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(last);
    clearInterval(watch);
    child.off("message", hear).off("error", failed).off("exit", ended);
  }
}

/** V8 aborts when it runs out of memory; shells and Windows report that as an exit code. */
function isOutOfMemory(code: number | null, signal: string | null): boolean {
  return signal === "SIGABRT" || code === 134 || code === 0xc0000409;
}

const MS_PER_TICK = 10;
const WALL_PER_PROCESSOR = 3;

/**
 * Processor time of the process so far; NaN if the process has ended. On systems other than Linux
 * it is estimated from elapsed time.
 */
async function processorMs(pid: number | undefined): Promise<number> {
  if (process.platform !== "linux") return performance.now() / WALL_PER_PROCESSOR;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name of the program is in brackets and may contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return Number.NaN;
  }
}
