/**
 * Barcodes write characters in modes: each takes some characters cheaply, and changing to another one costs
 * something. This finds the cheapest way through a message.
 */

/** By the number of a mode: what changing from it to each of the others costs. */
export type Changes = readonly (readonly number[])[];

/**
 * Calls `reach` with where the message can be written to from this place in this mode, the mode that it is in
 * then, and the cost until there.
 */
export type Write = (
  at: number,
  mode: number,
  cost: number,
  reach: (at: number, mode: number, cost: number) => void,
) => void;

/** The least cost of a message of so many bytes. It begins in the mode 0; `changes` are those of `allChanges`. */
export function leastCost(length: number, changes: Changes, write: Write): number {
  const modes = changes.length;
  const costs = new Float64Array((length + 1) * modes).fill(Number.POSITIVE_INFINITY);
  const costOf = (at: number, mode: number) => costs[at * modes + mode] ?? Number.POSITIVE_INFINITY;
  const reach = (at: number, mode: number, cost: number) => {
    if (at <= length && cost < costOf(at, mode)) costs[at * modes + mode] = cost;
  };
  reach(0, 0, 0);
  for (let at = 0; at <= length; at += 1) {
    for (let from = 0; from < modes; from += 1) {
      const cost = costOf(at, from);
      if (cost === Number.POSITIVE_INFINITY) continue;
      for (let to = 0; to < modes; to += 1) reach(at, to, cost + (changes[from]?.[to] ?? 0));
    }
    for (let mode = 0; mode < modes; mode += 1) {
      const cost = costOf(at, mode);
      if (cost !== Number.POSITIVE_INFINITY) write(at, mode, cost, reach);
    }
  }
  return Math.min(...costs.subarray(length * modes));
}

/** What changing between any two modes costs, over others where there is no direct way. */
export function allChanges(
  modes: number,
  direct: readonly (readonly [from: number, to: number, cost: number])[],
): Changes {
  const all = Array.from({ length: modes }, (_row, from) =>
    Array.from({ length: modes }, (_column, to) => (from === to ? 0 : Number.POSITIVE_INFINITY)),
  );
  const set = (from: number, to: number, cost: number) => {
    const row = all[from];
    if (row !== undefined) row[to] = Math.min(cost, row[to] ?? cost);
  };
  for (const [from, to, cost] of direct) set(from, to, cost);
  const numbers = [...all.keys()];
  for (const over of numbers) {
    for (const from of numbers) {
      for (const to of numbers) {
        set(from, to, (all[from]?.[over] ?? 0) + (all[over]?.[to] ?? 0));
      }
    }
  }
  return all;
}

/** By the number of a byte, whether it is among these characters. */
export function bytesOf(characters: string): readonly boolean[] {
  const among = new Set(Buffer.from(characters, "latin1"));
  return Array.from({ length: 256 }, (_each, byte) => among.has(byte));
}

export const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const SMALL = CAPITALS.toLowerCase();
export const DIGITS = "0123456789";
