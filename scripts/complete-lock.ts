import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/*
 * Adds missing optional packages to package-lock.json. `npm ci` needs all of them, but an
 * incomplete mirror of the registry lacks binaries for other platforms, and `npm install` leaves
 * them out. Run this script after adding packages; a test fails if it is needed.
 */

type LockedPackage = {
  version?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dev?: boolean;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
};

export type Lock = { packages: Record<string, LockedPackage> };

export type MissingPackage = {
  readonly name: string;
  readonly version: string;
  readonly dev: boolean;
};

const OSES = ["android", "darwin", "freebsd", "linux", "openharmony", "win32", "windows", "win"];
const CPUS = ["x64", "arm64", "arm", "ia32", "ppc64", "s390x", "wasm32"];

export function findMissing({ packages }: Lock): MissingPackage[] {
  const missing: MissingPackage[] = [];
  for (const [path, { optionalDependencies = {}, dev = false }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const places = [`node_modules/${name}`, `${path}/node_modules/${name}`];
      if (!places.some((place) => place in packages)) missing.push({ name, version, dev });
    }
  }
  return missing;
}

function describe({ name, version, dev }: MissingPackage): LockedPackage {
  const words = name.split("/").at(-1)?.split("-") ?? [];
  const os = OSES.find((word) => words.includes(word));
  const cpu = CPUS.find((word) => words.includes(word));
  // WebAssembly runs on every system.
  const isPlaced = os !== undefined || cpu === "wasm32";
  if (!isPlaced || cpu === undefined || !/^\d+\.\d+\.\d+/.test(version)) {
    throw new Error(`${name}@${version} does not say which platform it is for.`);
  }
  return {
    version,
    cpu: [cpu],
    ...(os === undefined ? {} : { os: [os.startsWith("win") ? "win32" : os] }),
    ...(words.includes("musl") ? { libc: ["musl"] } : {}),
    ...(dev ? { dev } : {}),
    optional: true,
  };
}

if (import.meta.main) {
  const path = join(import.meta.dirname, "../package-lock.json");
  const lock = JSON.parse(await readFile(path, "utf8")) as Lock;
  const missing = findMissing(lock);
  for (const added of missing) lock.packages[`node_modules/${added.name}`] = describe(added);
  const compare = ([left]: [string, unknown], [right]: [string, unknown]) =>
    left.localeCompare(right, "en");
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(compare));
  await writeFile(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${missing.length} optional packages added to package-lock.json.`);
}
