import { vendorRefused } from "../frame/vendor.errors.ts";
import { Shelf } from "../frame/vendor.ts";
import type { TicketEvent } from "./pretix.orders.ts";
import type { DateChange, DateCreate } from "./pretix.schema.ts";

/** A date of an event series, which pretix calls a subevent. */
export type EventDate = {
  readonly id: number;
  readonly organizer: string;
  readonly event: string;
  readonly name: string;
  readonly date_from: string;
  readonly date_to: string | null;
  readonly location: string | null;
};

type About = Pick<EventDate, "organizer" | "event">;

/** What dates need of the vendor that has them. */
type Ground = {
  eventOf(organizer: string | undefined, slug: string): TicketEvent;
  newId(): number;
  tell(about: About, name: string, facts: Readonly<Record<string, unknown>>): void;
};

const DATES_MAX = 2_000;

/** The dates of all event series. */
export class EventDates extends Shelf<EventDate> {
  readonly #ground: Ground;

  constructor(ground: Ground, kept?: readonly (readonly [string, EventDate])[]) {
    super("date", DATES_MAX, kept);
    this.#ground = ground;
  }

  create({ organizer: owner, event: slug, ...wish }: DateCreate): EventDate {
    const { isSeries, organizer, name } = this.#ground.eventOf(owner, slug);
    if (!isSeries) throw vendorRefused({ reason: "The event is no series." });
    const about = { id: this.#ground.newId(), organizer, event: slug };
    const given = { date_to: null, location: null, name, ...wish };
    return this.#put({ ...about, ...given }, "subevent.added");
  }

  change(id: number, values: DateChange): EventDate {
    return this.#put({ ...this.get(String(id)), ...values }, "subevent.changed");
  }

  of({ organizer, slug }: TicketEvent): EventDate[] {
    return this.all.filter((one) => one.organizer === organizer && one.event === slug);
  }

  /** Tickets of a series are for one of its dates, and others for none. */
  requireFor(event: TicketEvent, wanted: number | null): void {
    const isRight = event.isSeries ? this.of(event).some(({ id }) => id === wanted) : !wanted;
    if (!isRight) throw vendorRefused({ reason: `The event has no date ${wanted}.` });
  }

  #put(date: EventDate, name: string): EventDate {
    this.put(String(date.id), date);
    this.#ground.tell(date, name, { subevent: date.id });
    return date;
  }
}

/** A date as the API shows it. */
export function presentDate({ organizer: _, ...date }: EventDate): object {
  const { name, location } = date;
  return {
    ...date,
    name: { en: name },
    location: location === null ? null : { en: location },
    active: true,
    is_public: true,
    date_admission: null,
    presale_start: null,
    presale_end: null,
    frontpage_text: null,
    geo_lat: null,
    geo_lon: null,
    item_price_overrides: [],
    variation_price_overrides: [],
    meta_data: {},
  };
}
