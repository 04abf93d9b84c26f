import { randomUUID } from "node:crypto";
import Type, { type Static, type TSchema } from "typebox";
import type { Delivery } from "../deliveries/delivery.ts";
import { Emitter } from "../deliveries/emitter.service.ts";
import { Shelf, type VendorTools } from "../frame/vendor.ts";
import { type JourneyKind, type Person, type Run, type Step, text } from "./journey.ts";

const PEOPLE_MAX = 20_000;

export const PersonPut = Type.Record(Type.String({ maxLength: 200 }), Type.Unknown());
export const PeopleEnter = Type.Object(
  { ids: Type.Array(text(), { minItems: 1, maxItems: 1_000 }) },
  { additionalProperties: false },
);
export type PeopleEnter = Static<typeof PeopleEnter>;

type KeptPeople = { readonly people?: readonly (readonly [string, Person])[] };

/** People of a vendor, and journeys with one step that they come to: a webhook. */
export class Journeys<Sent extends TSchema, Kept extends Step> extends Emitter<Kept> {
  readonly people: Shelf<Person>;
  readonly #kind: JourneyKind<Sent, Kept>;

  constructor(tools: VendorTools, kind: JourneyKind<Sent, Kept>) {
    const { name, rules, headers = {}, sign, words } = kind;
    super(tools, { name, rules, headers: () => headers, sign });
    this.#kind = kind;
    this.people = new Shelf("person", PEOPLE_MAX, (tools.kept as KeptPeople | undefined)?.people);
    const { control } = this;
    const idOf = ({ id = "" }: Readonly<Record<string, string>>) => id;
    control.put(`/${words.people}/:id`, PersonPut, (values, { params }) =>
      this.putPerson(idOf(params), values),
    );
    control.get(`/${words.people}`, () => ({ [words.people]: this.people.all.slice(-500) }));
    control.post(`/${words.steps}`, kind.sent, (body) => this.createStep(body));
    control.post(`/${words.steps}/:id/${words.people}`, PeopleEnter, (body, { params }) =>
      this.enter(idOf(params), body.ids),
    );
  }

  override keep() {
    return { ...super.keep(), people: this.people.entries() };
  }

  override async reset(): Promise<void> {
    await super.reset();
    this.people.clear();
  }

  /** What is known of somebody from now on; what was known before is forgotten. */
  putPerson(id: string, values: Person["values"]): Person {
    const person = this.people.put(id, { id, values });
    this.tools.changed();
    return person;
  }

  /** A step of the same id takes the place of the one before. */
  createStep(sent: Static<Sent>): Kept {
    const { secret, step } = this.#kind.read(sent);
    this.tools.resolve(step.url);
    for (const { id, account, endedAt } of this.outbox.subscriptions) {
      if (account === step.id && endedAt === null) this.outbox.unsubscribe(id, "replaced");
    }
    this.openAccount(step.id, secret, step.url);
    return this.things.put(step.id, step);
  }

  /** Lets people come to the step together: a call for each, with what is known of them now. */
  enter(stepId: string, ids: readonly string[]): Delivery[] {
    const step = this.things.get(stepId);
    const people = ids.map((id) => this.people.get(id));
    const run = randomUUID();
    return people.flatMap((person) => this.#call(step, person, run));
  }

  override deliver(account: string, topic: string, body: string): Delivery[] {
    const signing = this.#kind.signing?.(this.things.get(account));
    const facts = { createdAt: this.stamp(), ...(signing !== undefined && { signing }) };
    return this.outbox.emit({ account, topic, body, facts });
  }

  #call(step: Kept, person: Person, id: string): Delivery[] {
    const run: Run = { id, callId: String(this.newId()) };
    return this.deliver(step.id, "webhook", this.#kind.write(step, person, run));
  }
}
