import Type, { type Static, type TSchema } from "typebox";
import type { Delivery, DeliveryRules } from "../deliveries/delivery.ts";

/** Somebody whom a vendor knows, and what it knows of them. */
export type Person = {
  readonly id: string;
  readonly values: Readonly<Record<string, unknown>>;
};

/** A step of a journey that calls an address whenever somebody comes to it. */
export type Step = { readonly id: string; readonly url: string };

/** One time that a vendor lets people come to a step. */
export type Run = {
  /** The same for all who come together. */
  readonly id: string;
  /** Another one for each of them. */
  readonly callId: string;
};

/** A vendor with journeys, by its own words and rules. */
export type JourneyKind<Sent extends TSchema, Kept extends Step> = {
  readonly name: string;
  readonly rules: DeliveryRules;
  /** What the vendor calls people, and journeys with their one step. */
  readonly words: { readonly people: string; readonly steps: string };
  /** What is sent to make a step. */
  readonly sent: Sent;
  /** The secret by which the step signs in, and all the rest. */
  readonly read: (sent: Static<Sent>) => { readonly secret: string; readonly step: Kept };
  /** The body of a call. */
  readonly write: (step: Kept, person: Person, run: Run) => string;
  /** What `sign` must know of the step, kept with each of its calls. */
  readonly signing?: (step: Kept) => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sign: (
    secret: string,
    delivery: Delivery,
    wall: Date,
  ) => Readonly<Record<string, string>>;
};

export const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });

/** What steps of all vendors have. */
export const stepMembers = { id: text(), url: text(2_000) };

export const signInByKey = (apiKey: string) => ({ "X-API-KEY": apiKey });

/** No answer, or one of the server and not of what was asked for. */
export function isServerTrouble(status: number | null): boolean {
  return status === null || status >= 500;
}
