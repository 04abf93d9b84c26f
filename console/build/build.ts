import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import zlib, { brotliCompress } from "node:zlib";
import { BUILDS, hashSources } from "./sources.ts";

/*
 * Builds the console into `console/dist/<hash of the sources>`, or into the folder given as the
 * first word. Does nothing if that build is there. `npm ci` runs it (`prepare`), and so does the
 * product where it finds no build: see docs/adr/0014.
 */

const compress = promisify(brotliCompress);
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 } };
/** Builds of other versions are kept this long: a product that runs may be loading one. */
const KEPT_MS = 3_600_000;

/** Written under another name and then renamed: nobody ever sees half a build. */
export async function buildConsole(builds = BUILDS): Promise<string> {
  const hash = await hashSources();
  const done = join(builds, hash);
  if (existsSync(join(done, "index.html"))) return done;
  await mkdir(builds, { recursive: true });
  // Not by `mkdtemp`, whose folders are closed to other users, who may be the ones that start the product.
  const work = join(builds, `.work-${randomUUID()}`);
  try {
    const { build } = await import("vite");
    const configFile = join(import.meta.dirname, "../vite.config.ts");
    const root = join(import.meta.dirname, "..");
    await build({
      configFile,
      root,
      logLevel: "error",
      build: { outDir: work, emptyOutDir: false },
    });
    await compressAssets(join(work, "assets"));
    await rename(work, done).catch(async (error: NodeJS.ErrnoException) => {
      // Another process built the same.
      if (!existsSync(join(done, "index.html"))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  await removeOthers(builds, hash);
  return done;
}

/** The product sends this form as it is, so that nobody waits while it is compressed. */
async function compressAssets(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      await writeFile(`${path}.br`, await compress(await readFile(path), BROTLI));
      await rm(path);
    }),
  );
}

async function removeOthers(builds: string, hash: string): Promise<void> {
  for (const name of await readdir(builds)) {
    const path = join(builds, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (name !== hash && mtimeMs < Date.now() - KEPT_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

if (import.meta.main) {
  try {
    await buildConsole(process.argv[2]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The console could not be built: ${reason}\n`);
    process.exitCode = 1;
  }
}
