import { readEntries, readZipDirectory, type ZipReading } from "#src/files/public.ts";

/** Both steps of reading an archive, without a caller who waits for room in between. */
export async function readZip(bytes: Buffer): Promise<ZipReading> {
  const directory = await readZipDirectory(bytes);
  return directory.ok ? await readEntries(directory.entries) : directory;
}
