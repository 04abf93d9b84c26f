import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

type KeyFile = {
  readonly dataDir: string;
  readonly name: string;
  /** What a whole key looks like: half of one, or none, must never be taken for one. */
  readonly shape: RegExp;
  make(): string;
};

/**
 * A key kept beside the data, made once. It appears under its name whole or not at all, whatever
 * dies in between; two processes making it at once agree on the first.
 */
export async function readOrMakeKey({ dataDir, name, shape, make }: KeyFile): Promise<string> {
  const path = join(dataDir, name);
  const known = await readIfThere(path);
  if (known === undefined) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const draft = `${path}.${randomBytes(6).toString("hex")}.new`;
    try {
      await writeWhole(draft, `${make()}\n`);
      await link(draft, path).catch(ignoreExisting);
    } finally {
      await rm(draft, { force: true });
    }
  }
  const key = known ?? (await readFile(path, "utf8")).trim();
  if (shape.test(key)) return key;
  throw new Error(`${path} does not hold a whole key. Restore it, or remove it to have one made.`);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
