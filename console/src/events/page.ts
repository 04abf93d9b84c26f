import { IconActivity } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type EventSearch = {
  /** A name or pattern, such as `pass.*`. */
  readonly event?: string;
  /** The id of a pass, customer or receipt. */
  readonly about?: string;
  /** How many days the list looks back; all of them without it. */
  readonly days?: string;
  /** The id of the event whose body is shown. */
  readonly open?: string;
};

export const page = definePage<EventSearch>({
  id: "events",
  path: "events",
  group: "data",
  order: 80,
  title: { en: "Events", fr: "Événements" },
  keywords: {
    en: "feed log history happened activity stream",
    fr: "flux journal historique activité survenu",
  },
  icon: IconActivity,
  letter: "e",
  needs: "event.list",
  search: ["event", "about", "days", "open"],
});
