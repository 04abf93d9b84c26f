import type { EventOf } from "#kernel/events/listen.ts";
import {
  privilegeCreated,
  privilegeDeleted,
  privilegeMoved,
  privilegeUpdated,
} from "#src/privileges/public.ts";

/** What can change the privileges that a pass shows, without a new version of the pass. */
export const PRIVILEGE_CHANGES = [
  privilegeCreated,
  privilegeUpdated,
  privilegeDeleted,
  privilegeMoved,
];

/**
 * The passes that may look different, each once: a change of terms and value is one change to the
 * holder. The first movement of a new privilege counts with its creation; if the pass itself is new,
 * nobody holds it yet.
 */
export function passesShowing(
  events: readonly EventOf<(typeof PRIVILEGE_CHANGES)[number]>[],
): string[] {
  const isOfNew = ({ data }: (typeof events)[number]) =>
    "privilege" in data && data.privilege.version === 1;
  return [...new Set(events.filter((event) => !isOfNew(event)).map(({ data }) => data.passId))];
}
