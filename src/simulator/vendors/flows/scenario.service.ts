import Type, { type Static } from "typebox";
import { CustomerPut } from "../bloomreach/bloomreach.schema.ts";
import type { Bloomreach } from "../bloomreach/bloomreach.service.ts";
import type { Delivery } from "../deliveries/delivery.ts";
import type { VendorTools } from "../frame/vendor.ts";
import { SCENARIOS } from "./flow.rules.ts";
import { Flows } from "./flow.service.ts";

const { project, customer_ids } = CustomerPut.properties;
export const CustomerEnter = Type.Object(
  { project, customer_ids },
  { additionalProperties: false },
);
export type CustomerEnter = Static<typeof CustomerEnter>;

/** Scenarios of Bloomreach: webhooks that customers of its projects come to. */
export class Scenarios extends Flows {
  readonly #bloomreach: Bloomreach;

  constructor(tools: VendorTools, bloomreach: Bloomreach) {
    super(tools, SCENARIOS);
    this.#bloomreach = bloomreach;
    this.control.post("/flows/:id/customers", CustomerEnter, (body, { params: { id = "" } }) =>
      this.enterCustomer(id, body),
    );
  }

  /** Lets a customer come to the webhook, with the properties that the project knows now. */
  enterCustomer(id: string, wanted: CustomerEnter): Delivery[] {
    const { ids, properties } = this.#bloomreach.customer(wanted);
    return this.enter(id, { customer_ids: ids, customer: properties });
  }
}
