/** The files of a tenant's configuration: bytes by path, sorted by path. */
export type FileSet = ReadonlyMap<string, Buffer>;

/** Problems by path. Problems of the whole set are under `archive` or `files`. */
export type FileProblems = Record<string, string[]>;

const MIB = 1024 * 1024;
export const FILE_COUNT_MAX = 2_000;
export const FILE_BYTES_MAX = 20 * MIB;
export const SET_BYTES_MAX = 100 * MIB;
export const COMPRESSION_RATIO_MAX = 100;

const PATH_CHARS_MAX = 500;
const PATH_DEPTH_MAX = 10;
/** The longest name that the file systems of all desktops allow. */
const NAME_BYTES_MAX = 255;
const PROBLEM_PATHS_MAX = 50;
const SHOWN_CHARS_MAX = 200;

/** Characters that are invisible, that reorder text, or that replace undecodable bytes. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/u;
const NOT_ON_WINDOWS = /[<>:"|?*]/;
const RESERVED_ON_WINDOWS =
  /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])(\.|$)/i;

/** Says why a path cannot be used. Undefined for a path that can be unpacked on any desktop. */
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
 * Gives the same result for names that some file system regards as the same: names in another case,
 * or with accents written in another way. Folds to lower, upper and lower case, because one step
 * alone leaves some letters different (ß and ẞ, ſ and s).
 */
export function foldPath(path: string): string {
  return path.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

/**
 * Finds pairs that cannot be unpacked together: two files, or a file and a folder, that have the
 * same name after folding.
 */
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

/** Sorts by path. Archives, answers and comparisons all depend on this order. */
export function toFileSet(files: Iterable<readonly [string, Buffer]>): Map<string, Buffer> {
  return new Map([...files].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)));
}

/**
 * Checks paths, collisions, count and sizes; undefined if the set can be stored. `whole` is the key
 * for problems of the whole set.
 */
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

/** Collects problems by path, for some paths only: a hostile set could have any number. */
export class ProblemList {
  // Without a prototype, because a file may be called `constructor`.
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

/** Makes a path safe to show to people and to write to logs. */
function shown(path: string): string {
  const visible = path
    .toWellFormed()
    .replace(
      new RegExp(UNSEEN, "gu"),
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  return visible.length > SHOWN_CHARS_MAX ? `${visible.slice(0, SHOWN_CHARS_MAX)}…` : visible;
}
