import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

type KeyFile = {
  readonly dataDir: string;
  readonly name: string;
  /** The pattern of a complete key, so that a partial or empty file is never used as one. */
  readonly shape: RegExp;
  make(): string;
};

/**
 * A key that is kept beside the data and made once. The file appears complete or not at all, even
 * if the process dies in between; if two processes make it at once, both use the first one.
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
