import { ByteRoom } from "#kernel/byte-room.ts";
import type { TenantContext } from "#kernel/context.ts";
import { tooBusy } from "#kernel/fair-gate.ts";
import { freeMemory } from "#kernel/free-memory.ts";
import { SET_BYTES_MAX } from "#src/files/public.ts";

const USUAL_BYTES_MAX = 4 * 1024 * 1024;
const WAIT_MS_MAX = 30_000;

/** Shared by all tenants, and as large as one set may be. */
const room = new ByteRoom({
  bytesMax: SET_BYTES_MAX,
  waitMsMax: WAIT_MS_MAX,
  refuse: () => tooBusy().because("waited too long for memory for files"),
  sweep: freeMemory,
});

/** Runs work that holds so many bytes of files in memory. Sets of usual size never wait. */
export function holdFiles<Result>(
  { tenantId }: TenantContext,
  bytes: number,
  work: () => Promise<Result>,
): Promise<Result> {
  return bytes <= USUAL_BYTES_MAX ? work() : room.run(tenantId, bytes, work);
}
