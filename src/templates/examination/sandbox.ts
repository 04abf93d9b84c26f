import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { SETTINGS_FILE } from "#src/tenants/public.ts";
import { templateFinding } from "../template.findings.ts";
import type { Examination, Texts } from "./examination.ts";
import { type HelperOptions, keepHelper, SandboxHelper, takeHelper } from "./sandbox-helpers.ts";

/**
 * Files of a tenant are strangers until they have been tried. The limits of the template engine are
 * cooperative, and every one of its releases mends a hole in them: here a process with little memory
 * does the work, and is killed when it takes too long, whatever it is doing. A thread is not enough:
 * one that runs out of memory can take the whole process with it, or never end.
 */

/** Time of the processor, not of the wall: on a busy machine good templates must not fail. */
const BUDGET_MS = 1_000;
const WALL_MS_MAX = 20_000;
const LOOK_EVERY_MS = 50;

export type SandboxOptions = HelperOptions & { readonly budgetMs?: number };

/**
 * All that the texts of a set tell. Ends soon, whatever the files hold. How many sets are examined at once is
 * decided before, where a check of a configuration waits for its turn.
 */
export async function examineSafely(texts: Texts, options: SandboxOptions): Promise<Examination> {
  const helper = takeHelper(options);
  const outcome = await examineIn(helper, texts, options);
  if (!isFailure(outcome)) return outcome;
  // What earlier sets left in a helper, and the time it takes to clear that away, are not held against this
  // set, nor is the end of a helper that has not seen the files: a fresh helper decides.
  const isBlamed = helper.examined === 0 && outcome.hasBegun;
  const last = isBlamed ? outcome : await examineIn(new SandboxHelper(options), texts, options);
  return isFailure(last) ? present(last, texts) : last;
}

type Failure = {
  readonly kind: "too-slow" | "too-large" | "render-failed";
  /** The index of the file that was looked at. */
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

/** The helper is kept for the next set of files when this one was examined to its end. */
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

/** The index of the file it turns to, or all that it found. */
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
  // The time of loading our own code, or of earlier files, is not theirs.
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
    // What cannot be sent is a mistake of ours; the helper must not stay behind.
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(last);
    clearInterval(watch);
    child.off("message", hear).off("error", failed).off("exit", ended);
  }
}

/** V8 aborts; shells and Windows give that as a code. */
function isOutOfMemory(code: number | null, signal: string | null): boolean {
  return signal === "SIGABRT" || code === 134 || code === 0xc0000409;
}

const MS_PER_TICK = 10;
const WALL_PER_PROCESSOR = 3;

/** Of the process so far, or no number when it is gone; where the system does not tell, by the wall. */
async function processorMs(pid: number | undefined): Promise<number> {
  if (process.platform !== "linux") return performance.now() / WALL_PER_PROCESSOR;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return Number.NaN;
  }
}
