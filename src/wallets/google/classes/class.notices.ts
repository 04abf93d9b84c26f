/** Google lets a pass notify its holder so often in 24 hours, by changes of its class, too. */
export const NOTIFICATIONS_MAX = 3;
const DAY_MS = 86_400_000;

/** Notifications since then still count. */
export function countedSince(now: Date): Date {
  return new Date(now.getTime() - DAY_MS);
}
