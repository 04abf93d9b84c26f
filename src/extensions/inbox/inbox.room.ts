/** How much may wait in the inbox of one connector of one tenant. Rules only. */

/**
 * What a large shop sends in hours in which nothing is worked on. Whatever is beyond that stays with the
 * vendor, which sends it again.
 */
export const WAITING_MAX = 20_000;
export const WAITING_BYTES_MAX = 256 * 1024 * 1024;

/** Of one delivery, where its connector says nothing: read in a few milliseconds, whatever it contains. */
export const BODY_BYTES_MAX = 256 * 1024;

export type Waiting = { readonly deliveries: number; readonly sizeBytes: number };

/** Whether one more of this size may wait. */
export function hasRoom({ deliveries, sizeBytes }: Waiting, nextBytes: number): boolean {
  return deliveries < WAITING_MAX && sizeBytes + nextBytes <= WAITING_BYTES_MAX;
}

/** Of those that cannot be read, more than anybody looks at is not kept. */
export const UNREADABLE_MAX = 1_000;
export const UNREADABLE_BYTES_MAX = 16 * 1024 * 1024;

/** Whether one more of this size that cannot be read may be kept. */
export function hasUnreadableRoom({ deliveries, sizeBytes }: Waiting, nextBytes: number): boolean {
  return deliveries < UNREADABLE_MAX && sizeBytes + nextBytes <= UNREADABLE_BYTES_MAX;
}

/**
 * Whether there is room for what nobody sent: that can be asked for later as well, and must not keep
 * out what vendors send.
 */
export function hasRoomToSpare({ deliveries, sizeBytes }: Waiting): boolean {
  return deliveries < WAITING_MAX / 2 && sizeBytes < WAITING_BYTES_MAX / 2;
}
