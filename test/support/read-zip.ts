import { readEntries, type ZipReading } from "#src/tenants/configuration.zip.ts";
import { readZipDirectory } from "#src/tenants/configuration.zip-directory.ts";

/** Both steps of reading an archive, without a caller who waits for room in between. */
export async function readZip(bytes: Buffer): Promise<ZipReading> {
  const directory = await readZipDirectory(bytes);
  return directory.ok ? await readEntries(directory.entries) : directory;
}
