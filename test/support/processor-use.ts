import { appendFileSync, existsSync, readFileSync } from "node:fs";

/*
 * The processor time that each test file takes. On a machine that has other things to do that says what
 * a file costs, where the time on the clock does not.
 */

export type Use = { readonly file: string; readonly seconds: number };

const TICKS_PER_SECOND = 100;

/** Of all processes that a process had started and that have ended: products, browsers, shells. */
export function secondsOfChildren(pid: number | "self"): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name of the program, which may contain blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return 0; // Other systems than Linux tell it in other ways.
  }
}

const notes = process.env.BILLFOLD_TEST_USE;
let noted = 0;

/** Notes under this name what this process and those it started took since the last note. */
export function noteUse(file: string): void {
  if (notes === undefined) return;
  const { user, system } = process.cpuUsage();
  const total = (user + system) / 1e6 + secondsOfChildren("self");
  appendFileSync(notes, `${JSON.stringify({ file, seconds: total - noted } satisfies Use)}\n`);
  noted = total;
}

export function readUse(path: string | undefined): Use[] {
  if (path === undefined || !existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Use);
}

/** What is left after the notes of single files, such as loading the product. */
export function noteUseAtEnd(name: string): void {
  process.on("exit", () => noteUse(name));
}
