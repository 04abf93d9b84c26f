import { chown, lchown, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** The user PostgreSQL runs as, when that is not the user we run as. */
export type ServerUser = { readonly uid: number; readonly gid: number };

const NOBODY_ID = 65_534;

/**
 * Chooses the user that PostgreSQL runs as, because PostgreSQL refuses to run as root. Root runs it
 * as the present owner of the cluster (so that an ordinary user can use the cluster again later),
 * or else as `nobody`. Any other user runs it as itself: undefined.
 */
export async function chooseServerUser(clusterDir: string): Promise<ServerUser | undefined> {
  const ownUid = process.getuid?.();
  if (ownUid === undefined) return undefined;
  const owner = await stat(clusterDir).catch(ignoreMissing);

  if (ownUid !== 0) {
    if (owner !== undefined && owner.uid !== ownUid) {
      throw new Error(
        `The database in ${clusterDir} belongs to the user with uid ${owner.uid}, this process ` +
          `runs as uid ${ownUid}. Start it as that user or root, or use another DATA_DIR.`,
      );
    }
    return undefined;
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };

  const nobody = await findNobody();
  // A cluster owned by root was copied or restored by root: PostgreSQL never creates such a
  // cluster.
  if (owner !== undefined) await giveTree(clusterDir, nobody);
  return nobody;
}

async function findNobody(): Promise<ServerUser> {
  const users = await readFile("/etc/passwd", "utf8").catch(() => "");
  const fields = /^nobody:.*$/m.exec(users)?.[0].split(":") ?? [];
  const [uid, gid] = [Number(fields[2]), Number(fields[3])];
  // macOS lists `nobody` as -2; setuid takes the same bits as an unsigned number.
  const known = Number.isInteger(uid) && uid !== 0 && Number.isInteger(gid);
  return known ? { uid: uid >>> 0, gid: gid >>> 0 } : { uid: NOBODY_ID, gid: NOBODY_ID };
}

/**
 * Makes the server's user the owner of one file or folder; does nothing without a separate user.
 */
export async function giveTo(path: string, user: ServerUser | undefined): Promise<void> {
  if (user !== undefined) await chown(path, user.uid, user.gid);
}

async function giveTree(root: string, user: ServerUser): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), user.uid, user.gid);
  }
  await chown(root, user.uid, user.gid);
}

export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
