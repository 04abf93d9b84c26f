import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Outcome, readOutcome } from "./run-outcome.ts";
import { isAlone, isPatient } from "./test-files.ts";
import { type Group, runGroup, separateProcesses, shareProcesses } from "./test-processes.ts";
import { readResults } from "./test-results.ts";

/*
 * Runs test files in three groups. A file that failed is run once more, alone, at the end: if it is green then,
 * the run is green too, and both outputs are printed, because an unsteady test is a defect to be found. What
 * no file can be named for, such as a process that does not end, stays a failure.
 */

/** Limits for all tests of a process together; `file-queue.ts` has a shorter one for each file. */
const PROCESS_MS_MAX = 595_000;
const SHARED_PROCESS_MS_MAX = 7_200_000;
/** Together they use less than one of two processors. */
const PATIENT_AT_ONCE_MAX = 4;
/** So many files do not fail by accident: to run them again would take long and prove nothing. */
const RERUN_MAX = 20;

type Settings = {
  readonly processesAtOnce: number;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly rerunMax?: number;
};

/** Whether the run is green. */
export async function runFiles(files: readonly string[], settings: Settings): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "billfold-test-entries-"));
  try {
    return await runIn(folder, files, settings);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runIn(folder: string, files: readonly string[], settings: Settings) {
  const { processesAtOnce, env, signal } = settings;
  const ordinary = files.filter((file) => !isAlone(file) && !isPatient(file));
  const patient = files.filter(isPatient);
  const alone = files.filter(isAlone);
  const groups = [
    {
      files: ordinary,
      name: "ordinary",
      programs: await shareProcesses(ordinary, join(folder, "queues")),
      atOnce: processesAtOnce,
      timeoutMs: SHARED_PROCESS_MS_MAX,
    },
    {
      files: patient,
      name: "patient",
      programs: await shareProcesses(patient, join(folder, "patient-queues")),
      atOnce: Math.min(PATIENT_AT_ONCE_MAX, processesAtOnce),
      timeoutMs: SHARED_PROCESS_MS_MAX,
    },
    {
      files: alone,
      name: "alone",
      programs: await separateProcesses(alone, join(folder, "alone-queues")),
      atOnce: 1,
      timeoutMs: PROCESS_MS_MAX,
    },
  ];
  const failed = new Map<string, readonly string[]>();
  const tests = new Map<string, number>();
  const unexplained: string[] = [];
  for (const { name, ...group } of groups) {
    if (group.files.length === 0 || signal.aborted) continue;
    const outcome = await tryGroup({ ...group, folder: join(folder, name), env }, settings);
    for (const [file, notes] of outcome.failed) failed.set(file, notes);
    for (const [file, count] of outcome.tests) tests.set(file, count);
    unexplained.push(...outcome.unexplained);
  }
  return await judge({ failed, unexplained, tests }, folder, settings);
}

type FileGroup = Omit<Group, "resultsPath"> & { readonly files: readonly string[] };

async function tryGroup(group: FileGroup, settings: Settings): Promise<Outcome> {
  const { signal, rerunMax = RERUN_MAX } = settings;
  const resultsPath = `${group.folder}.jsonl`;
  const end = await runGroup({ ...group, resultsPath }, signal);
  const outcome = readOutcome(readResults(resultsPath), group.files, rerunMax);
  const { failed, unexplained } = outcome;
  const isNamed = failed.size > 0 || unexplained.length > 0;
  // Node's runner ends with 1 where a test failed. Anything else is a failure of the runner itself.
  if (end === 0 || (end === 1 && isNamed)) return outcome;
  return { ...outcome, unexplained: [...unexplained, `The test runner ended with ${end}.`] };
}

/** Runs again what failed. Whether the run is green. */
async function judge(
  { failed, unexplained, tests }: Outcome,
  folder: string,
  settings: Settings,
): Promise<boolean> {
  const { signal, rerunMax = RERUN_MAX } = settings;
  const isMany = failed.size > rerunMax;
  const unsteady: string[] = [];
  const broken: string[] = [];
  for (const [place, [file, notes]] of [...failed].entries()) {
    const first = `${file}\n-- its first run:\n${notes.join("\n\n")}\n`;
    if (isMany || signal.aborted) {
      broken.push(first);
      continue;
    }
    write(`\n== ${file} failed, and is run once more, alone`);
    const again = join(folder, `again-${place}`);
    const { isGreen, output } = await runAgain(file, tests.get(file) ?? 1, again, settings);
    const both = `${first}\n-- its second run, alone:\n${output}`;
    (isGreen ? unsteady : broken).push(both);
  }
  print("Unsteady: failed once, and passed alone", unsteady);
  print("What failed", [...broken, ...unexplained]);
  if (isMany) {
    write(`\n${failed.size} files failed: too many for an accident, so none was run again.`);
  }
  return broken.length === 0 && unexplained.length === 0 && !signal.aborted;
}

function print(title: string, texts: readonly string[]): void {
  if (texts.length > 0) write(`\n== ${title}\n\n${texts.join("\n\n")}`);
}

function write(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A file that skips what failed is not green: it has to run at least as many tests as before. */
async function runAgain(file: string, testsBefore: number, folder: string, settings: Settings) {
  const { env } = settings;
  const outputPath = `${folder}.txt`;
  const programs = await separateProcesses([file], `${folder}-queue`);
  const { failed, unexplained, tests } = await tryGroup(
    { folder, files: [file], programs, atOnce: 1, timeoutMs: PROCESS_MS_MAX, env, outputPath },
    settings,
  );
  const notes = [...(failed.get(file) ?? []), ...unexplained];
  const count = tests.get(file) ?? 0;
  const isWhole = count >= Math.max(testsBefore, 1);
  if (!isWhole) notes.push(`It ran ${count} tests, and ${testsBefore} before.`);
  const isGreen = failed.size === 0 && unexplained.length === 0 && isWhole;
  const output = await readFile(outputPath, "utf8").catch(() => "(none)");
  return { isGreen, output: [output, ...notes].join("\n\n") };
}
