import type { Folder, ImportFile } from "#src/imports/public.ts";
import type { Attributes, Entry } from "../protocol/reply.ts";

/** The kinds of file in the mode of Unix. */
const DIRECTORY = 0o040000;
const REGULAR = 0o100000;

/** Files can be added and removed in the inbox only. */
function modeOf(folder: Folder | undefined, kind: number): number {
  const isWritable = folder === "inbox";
  if (kind === DIRECTORY) return kind | (isWritable ? 0o755 : 0o555);
  return kind | (isWritable ? 0o644 : 0o444);
}

export function folderAttributes(folder: Folder | undefined, modifiedAt: Date): Attributes {
  return { sizeBytes: 0, mode: modeOf(folder, DIRECTORY), modifiedAt };
}

export function fileAttributes(folder: Folder, { size, receivedAt }: ImportFile): Attributes {
  return { sizeBytes: size, mode: modeOf(folder, REGULAR), modifiedAt: receivedAt };
}

export function entryOf(name: string, attributes: Attributes, tenantId: string): Entry {
  return { name, line: lineOf(name, attributes, tenantId), attributes };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A line as `ls -l` writes it, with times in UTC. */
function lineOf(name: string, { mode, sizeBytes, modifiedAt }: Attributes, owner: string): string {
  const kind = (mode & DIRECTORY) === 0 ? "-" : "d";
  const month = MONTHS[modifiedAt.getUTCMonth()] ?? "";
  const day = String(modifiedAt.getUTCDate()).padStart(2);
  const time = modifiedAt.toISOString().slice(11, 16);
  const size = String(sizeBytes).padStart(12);
  return `${kind}${permissionsOf(mode)} 1 ${owner} ${owner} ${size} ${month} ${day} ${time} ${name}`;
}

function permissionsOf(mode: number): string {
  return [6, 3, 0]
    .map((shift) => (mode >> shift) & 0o7)
    .map((bits) => `${bits & 4 ? "r" : "-"}${bits & 2 ? "w" : "-"}${bits & 1 ? "x" : "-"}`)
    .join("");
}
