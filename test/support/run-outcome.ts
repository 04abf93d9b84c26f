import type { ResultLine } from "./test-results.ts";

/* Which files of a group failed, and which failures no file explains. */

export type Outcome = {
  /** Why each file failed, by its path. */
  readonly failed: ReadonlyMap<string, readonly string[]>;
  /** What failed although no file can be named for it. */
  readonly unexplained: readonly string[];
  /** How many tests each file had that ran to its end. */
  readonly tests: ReadonlyMap<string, number>;
};

type LineOf<Kind extends ResultLine["kind"]> = Extract<ResultLine, { kind: Kind }>;

function linesOf<Kind extends ResultLine["kind"]>(
  lines: readonly ResultLine[],
  kind: Kind,
): LineOf<Kind>[] {
  return lines.filter((line): line is LineOf<Kind> => line.kind === kind);
}

/** The files that may have failed, and why. */
class Suspects {
  readonly notes = new Map<string, string[]>();
  /** Those that may have ended their process. */
  readonly ofProcess = new Set<string>();

  add(file: string, ...texts: readonly string[]): void {
    this.notes.set(file, [...(this.notes.get(file) ?? []), ...texts]);
  }

  addOfProcess(file: string, text: string): void {
    this.ofProcess.add(file);
    this.add(file, text);
  }
}

/**
 * A file failed if a test of it did, if it did not run to its end, or if it may have caused an error that belongs
 * to no test: then it is one of at most `suspectsMax`, which are all run again. A process that fails is explained by
 * such a file among its own, and by no other.
 */
export function readOutcome(
  lines: readonly ResultLine[],
  files: readonly string[],
  suspectsMax: number,
): Outcome {
  const finished = linesOf(lines, "finished");
  const tests = new Map(finished.map((line) => [line.file, line.tests]));
  const suspects = new Suspects();
  const unexplained: string[] = [];
  for (const { file, isGreen } of finished) if (!isGreen) suspects.add(file);
  for (const line of differentErrors(lines)) {
    unexplained.push(...explainStrayError(lines, line, suspects, suspectsMax));
  }
  for (const file of files) {
    if (!tests.has(file)) suspects.addOfProcess(file, "The file did not run to its end.");
  }
  for (const { file, text } of linesOf(lines, "note")) {
    if (suspects.notes.has(file)) suspects.add(file, text);
  }
  unexplained.push(...explainProcesses(lines, suspects));
  return { failed: suspects.notes, unexplained, tests };
}

/** What fails once often fails many times, such as every connection to a server that is gone. */
function differentErrors(lines: readonly ResultLine[]): LineOf<"stray-error">[] {
  const errors = linesOf(lines, "stray-error").map((line) => [JSON.stringify(line), line] as const);
  return [...new Map(errors).values()];
}

/** Returns what stays unexplained: an error that may have come from too many files to run all of them again. */
function explainStrayError(
  lines: readonly ResultLine[],
  { process, file, origin, text }: LineOf<"stray-error">,
  suspects: Suspects,
  suspectsMax: number,
): string[] {
  if (origin !== undefined) {
    suspects.addOfProcess(origin, `An error of this file belonged to no test:\n${text}`);
    return [];
  }
  const taken = filesOf(lines, process);
  const possible = taken.slice(0, taken.indexOf(file));
  suspects.addOfProcess(file, `While this file ran, an error belonged to no test:\n${text}`);
  const isTooMany = possible.length >= suspectsMax;
  for (const before of isTooMany ? possible.slice(-1) : possible) {
    suspects.addOfProcess(before, `After this file, an error belonged to no test:\n${text}`);
  }
  if (!isTooMany) return [];
  return [
    `An error belonged to no test, and may have come from any of ${possible.length + 1} files:\n${text}`,
  ];
}

/**
 * Returns the failures of processes that no file explains. A test that fails may leave a server running, which
 * keeps its process from ending. Any other end needs a file that may have ended the process: a failed test alone
 * does not do that, and must not excuse what another file did.
 */
function explainProcesses(lines: readonly ResultLine[], suspects: Suspects): string[] {
  const unexplained: string[] = [];
  const explain = (process: string, text: string, canExplain: (file: string) => boolean) => {
    const own = filesOf(lines, process).filter(canExplain);
    for (const file of own) suspects.add(file, `Its process failed:\n${text}`);
    if (own.length === 0) unexplained.push(`A process failed:\n${text}`);
  };
  const mayHaveEndedIt = (file: string) => suspects.ofProcess.has(file);
  for (const { process, text } of linesOf(lines, "late-end")) {
    explain(process, text, (file) => suspects.notes.has(file));
  }
  for (const { process, text } of linesOf(lines, "process-failure")) {
    explain(process, text, mayHaveEndedIt);
  }
  const codes = new Map(linesOf(lines, "exit").map(({ process, code }) => [process, code]));
  for (const process of new Set(linesOf(lines, "taken").map((line) => line.process))) {
    const code = codes.get(process);
    // The runner itself reports code 1, unless a test failed, which has the same code.
    if (code === 0 || code === 1) continue;
    const end = code === undefined ? "ended before its time" : `ended with code ${code}`;
    explain(process, `The process ${process} ${end}.`, mayHaveEndedIt);
  }
  return unexplained;
}

/** The files that the process ran, in their order. */
function filesOf(lines: readonly ResultLine[], process: string): string[] {
  const taken = linesOf(lines, "taken").filter((line) => line.process === process);
  return taken.map(({ file }) => file);
}
