import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bundle, openBundle } from "./bundle.ts";

const OPEN_MAX = 64;
const NAME = /^[0-9a-f]{64}$/;

/** The .pkpass files that phones hold, each once, in a folder; the last used are kept open. */
export class BundleShelf {
  readonly #folder: string;
  readonly #open = new Map<string, Bundle>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps a file that was opened and gives the name by which it is found again. */
  async put(archive: Buffer, bundle: Bundle): Promise<string> {
    const name = createHash("sha256").update(archive).digest("hex");
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(join(this.#folder, name), archive, { mode: 0o600 });
    this.#remember(name, bundle);
    return name;
  }

  /** Undefined if the file is gone or can no longer be read. */
  async find(name: string): Promise<Bundle | undefined> {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    try {
      const bundle = openBundle(await readFile(join(this.#folder, name)));
      this.#remember(name, bundle);
      return bundle;
    } catch {
      return undefined;
    }
  }

  /** Removes the files that no phone holds any more. */
  async sweep(held: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      if (!NAME.test(name) || held.has(name)) continue;
      this.#open.delete(name);
      await rm(join(this.#folder, name), { force: true });
    }
  }

  #remember(name: string, bundle: Bundle): void {
    this.#open.delete(name);
    this.#open.set(name, bundle);
    const [oldest] = this.#open.keys();
    if (this.#open.size > OPEN_MAX && oldest !== undefined) this.#open.delete(oldest);
  }
}
