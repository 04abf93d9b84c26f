import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { Asset } from "#kernel/http/asset.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { findBuild, findMark, findVersion } from "./console.build.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const PACKED = ".br";
/** How often it is asked whether somebody changed the sources. */
const LOOK_MS = 1_000;

export type ConsoleFiles = {
  /** The page, with places for what differs from request to request. */
  load(): Promise<string>;
  findAsset(name: string): Asset | undefined;
};

/**
 * The files of the console, in memory. Outside production, a change of the sources is built when
 * the page is next opened. Files of earlier builds stay, because open pages still load parts of
 * theirs.
 */
export const consoleFilesOf = perRuntime((runtime: Runtime): ConsoleFiles => {
  const assets = new Map<string, Asset>();
  let loaded: { version: string; mark: string; index: string } | undefined;
  let loading: Promise<string> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const isFresh = () =>
    loaded !== undefined &&
    (runtime.environment === "production" || performance.now() - lookedAt < LOOK_MS);

  async function read(): Promise<string> {
    try {
      // Asked for first: a file that is written meanwhile makes another mark at the next look.
      const mark = await findMark();
      lookedAt = performance.now();
      if (loaded?.mark === mark) return loaded.index;
      const version = await findVersion();
      if (loaded?.version === version) {
        loaded = { ...loaded, mark };
        return loaded.index;
      }
      const folder = await findBuild(version, runtime.stopping);
      for (const [name, asset] of await readAssets(join(folder, "assets"))) assets.set(name, asset);
      loaded = { version, mark, index: await readFile(join(folder, "index.html"), "utf8") };
      return loaded.index;
    } catch (error) {
      runtime.log.warn({ err: error }, "the console is not there: it could not be built");
      throw error;
    }
  }

  return {
    async load() {
      if (loaded !== undefined && isFresh()) return loaded.index;
      loading ??= read().finally(() => {
        loading = undefined;
      });
      return await loading;
    },
    findAsset: (name) => assets.get(name),
  };
});

async function readAssets(folder: string): Promise<[string, Asset][]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(PACKED));
  return await Promise.all(
    files.map(async (file): Promise<[string, Asset]> => {
      const name = file.slice(0, -PACKED.length);
      const type = TYPES[extname(name)] ?? "application/octet-stream";
      return [name, new Asset(type, "br", await readFile(join(folder, file)))];
    }),
  );
}
