/** The files of a tenant's configuration: path to bytes, sorted by path. */
export type FileSet = ReadonlyMap<string, Buffer>;

/** What is wrong, by path; `archive` or `files` stands for the set as a whole. */
export type FileProblems = Record<string, string[]>;

const MIB = 1024 * 1024;
export const FILE_COUNT_MAX = 2_000;
export const FILE_BYTES_MAX = 20 * MIB;
export const SET_BYTES_MAX = 100 * MIB;
export const COMPRESSION_RATIO_MAX = 100;

const PATH_CHARS_MAX = 500;
const PATH_DEPTH_MAX = 10;
/** What the file systems of every desktop can hold. */
const NAME_BYTES_MAX = 255;
const PROBLEM_PATHS_MAX = 50;
const SHOWN_CHARS_MAX = 200;

/** Characters nobody sees, that reorder what one sees, or that stand for a decoding that failed. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/u;
const NOT_ON_WINDOWS = /[<>:"|?*]/;
const RESERVED_ON_WINDOWS =
  /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])(\.|$)/i;

/** Why a path cannot be used; undefined when it can. Accepted paths can be unpacked on any desktop. */
export function pathProblem(path: string): string | undefined {
  if (path === "") return "is empty";
  if (path.length > PATH_CHARS_MAX) return `is longer than ${PATH_CHARS_MAX} characters`;
  if (!path.isWellFormed() || UNSEEN.test(path)) return "contains a character that cannot be shown";
  if (path.includes("\\")) return "contains a backslash; folders are separated by '/'";
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return "is absolute; paths are relative";
  if (NOT_ON_WINDOWS.test(path)) return 'contains one of < > : " | ? *';
  if (path.normalize("NFC") !== path) return "is not in Unicode normal form C";
  const names = path.split("/");
  if (names.length > PATH_DEPTH_MAX) return `is deeper than ${PATH_DEPTH_MAX} folders`;
  for (const name of names) {
    const problem = nameProblem(name);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function nameProblem(name: string): string | undefined {
  if (name === "") return "contains an empty name";
  if (name === "." || name === "..") return `contains '${name}'`;
  if (/[. ]$/.test(name)) return "contains a name that ends with a dot or a space";
  if (RESERVED_ON_WINDOWS.test(name)) return "contains a name that Windows reserves for a device";
  if (name === "__proto__") return "contains '__proto__'";
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) {
    return `contains a name longer than ${NAME_BYTES_MAX} bytes`;
  }
  return undefined;
}

/**
 * Equal for names that some file system takes for one: whatever the case and the way accents are
 * written. Lower, upper and lower again, since either alone keeps some letters apart (ß and ẞ, ſ and s).
 */
export function foldPath(path: string): string {
  return path.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

/** Pairs that cannot be unpacked side by side: the same name after folding, or a file in a folder's place. */
export function collisions(paths: Iterable<string>): [string, string][] {
  const firstByFold = new Map<string, string>();
  const found: [string, string][] = [];
  const folded: [string, string][] = [];
  for (const path of paths) {
    const fold = foldPath(path);
    const first = firstByFold.get(fold);
    if (first !== undefined) found.push([first, path]);
    else firstByFold.set(fold, path);
    folded.push([fold, path]);
  }
  for (const [fold, path] of folded) {
    const blocking = foldersOf(fold).find((folder) => firstByFold.has(folder));
    if (blocking !== undefined) found.push([firstByFold.get(blocking) ?? blocking, path]);
  }
  return found;
}

function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    folders.push(path.slice(0, at));
  }
  return folders;
}

export function isYaml(path: string): boolean {
  return path.endsWith(".yml");
}

/** In the one order that everything written from a file set follows. */
export function toFileSet(files: Iterable<readonly [string, Buffer]>): Map<string, Buffer> {
  return new Map([...files].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)));
}

/** Paths, collisions, count and sizes; undefined when the set can be stored. `whole` names the set. */
export function fileSetProblems(
  files: Iterable<{ readonly path: string; readonly sizeBytes: number }>,
  whole: string,
): FileProblems | undefined {
  const problems = new ProblemList();
  const paths: string[] = [];
  let totalBytes = 0;
  for (const { path, sizeBytes } of files) {
    paths.push(path);
    totalBytes += sizeBytes;
    const problem = pathProblem(path);
    if (problem !== undefined) problems.add(path, problem);
    if (sizeBytes > FILE_BYTES_MAX)
      problems.add(path, `is larger than ${FILE_BYTES_MAX / MIB} MiB`);
  }
  for (const [first, second] of collisions(paths)) {
    problems.add(second, first === second ? "is there twice" : `collides with '${shown(first)}'`);
  }
  if (paths.length > FILE_COUNT_MAX) problems.add(whole, `holds more than ${FILE_COUNT_MAX} files`);
  if (totalBytes > SET_BYTES_MAX) {
    problems.add(whole, `holds more than ${SET_BYTES_MAX / MIB} MiB`);
  }
  return problems.result();
}

/** Collects problems by path, a screenful at most: a hostile set could have any number. */
export class ProblemList {
  // Without a prototype: a file may be called `constructor`, and must not find that one.
  readonly #problems: FileProblems = Object.create(null);
  #paths = 0;

  add(path: string, problem: string): void {
    const key = shown(path);
    const known = this.#problems[key];
    if (known !== undefined) {
      if (!known.includes(problem)) known.push(problem);
    } else if (this.#paths < PROBLEM_PATHS_MAX) {
      this.#problems[key] = [problem];
      this.#paths += 1;
    }
  }

  addAll(problems: FileProblems | undefined): void {
    for (const [path, messages] of Object.entries(problems ?? {})) {
      for (const message of messages) this.add(path, message);
    }
  }

  result(): FileProblems | undefined {
    return this.#paths === 0 ? undefined : this.#problems;
  }
}

/** A path as it can be shown to people and written to logs. */
function shown(path: string): string {
  const visible = path
    .toWellFormed()
    .replace(
      new RegExp(UNSEEN, "gu"),
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  return visible.length > SHOWN_CHARS_MAX ? `${visible.slice(0, SHOWN_CHARS_MAX)}…` : visible;
}
