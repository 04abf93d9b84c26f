import type { Arrival, Connector, Inbound } from "../kit/connector.ts";

/** So many people of one delivery are found by their erasure. */
const PEOPLE_MAX = 20;
const PERSON_CHARS_MAX = 300;

/** Whom an arrival tells of, as far as its connector knows: `customerId=7`. */
export function peopleOf({ inbound }: Connector, arrival: Arrival): string[] {
  const people = (inbound as Inbound | undefined)?.people?.(arrival) ?? [];
  return people
    .slice(0, PEOPLE_MAX)
    .map((person) => person.slice(0, PERSON_CHARS_MAX).replaceAll("\0", "").toWellFormed());
}
