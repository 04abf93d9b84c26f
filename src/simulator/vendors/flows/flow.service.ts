import Type, { type Static } from "typebox";
import type { Delivery } from "../deliveries/delivery.ts";
import { Emitter } from "../deliveries/emitter.service.ts";
import { fillIn, namesIn } from "../frame/fill.ts";
import type { VendorTools } from "../frame/vendor.ts";
import type { FlowKind } from "./flow.rules.ts";

const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });

export const FlowCreate = Type.Object(
  {
    id: text(),
    url: text(2_000),
    apiKey: text(),
    /** The body of the webhook step, with tags such as `{{ customer.first_name }}`. */
    body: text(20_000),
  },
  { additionalProperties: false },
);
export type FlowCreate = Static<typeof FlowCreate>;
export const PersonEnter = Type.Record(Type.String(), Type.Unknown());

type Flow = Omit<FlowCreate, "apiKey">;

/** Journeys with one step, a webhook, that sign in by a header. */
export class Flows extends Emitter<Flow> {
  constructor(tools: VendorTools, { name, rules }: FlowKind) {
    super(tools, {
      name,
      rules,
      headers: () => ({}),
      sign: (apiKey) => ({ "X-API-KEY": apiKey }),
    });
    this.control.post("/flows", FlowCreate, (body) => this.createFlow(body));
    this.control.post("/flows/:id/people", PersonEnter, (body, { params: { id = "" } }) =>
      this.enter(id, body),
    );
  }

  createFlow({ apiKey, ...flow }: FlowCreate): Flow {
    this.openAccount(flow.id, apiKey, flow.url);
    const made = this.things.put(flow.id, flow);
    this.tools.changed();
    return made;
  }

  /** Lets somebody come to the step, known by what tags may name. */
  enter(id: string, person: object): Delivery[] {
    const { body } = this.things.get(id);
    return this.deliver(id, "webhook", fillIn(body, namesIn(person)));
  }
}
