import Type from "typebox";
import type { ControlTable } from "../frame/control.ts";
import { vendorRefused } from "../frame/vendor.errors.ts";
import type { Outbox } from "./delivery.service.ts";
import { DELIVERY_FAULT_KINDS } from "./delivery.ts";

const LIST_MAX = 500;

const FaultSet = Type.Object(
  {
    kind: Type.Enum([...DELIVERY_FAULT_KINDS]),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 120_000 })),
  },
  { additionalProperties: false },
);

const RulesSet = Type.Object(
  {
    deadlineMs: Type.Optional(Type.Integer({ minimum: 10, maximum: 120_000 })),
    parallel: Type.Optional(Type.Integer({ minimum: 1, maximum: 32 })),
  },
  { additionalProperties: false },
);

const Deliver = Type.Object(
  {
    account: Type.String({ minLength: 1, maxLength: 200 }),
    topic: Type.String({ minLength: 1, maxLength: 200 }),
    /** JSON of any shape; numbers above 2^53 need `body`. */
    payload: Type.Optional(Type.Unknown()),
    /** The text as it is sent. */
    body: Type.Optional(Type.String({ maxLength: 1_000_000 })),
  },
  { additionalProperties: false },
);

const Subscribe = Type.Object(
  {
    account: Type.String({ minLength: 1, maxLength: 200 }),
    url: Type.String({ minLength: 1, maxLength: 2_000 }),
    topics: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 }),
    ),
  },
  { additionalProperties: false },
);

type Owner = {
  readonly outbox: Outbox;
  /** Sends any body as the account; the vendor signs it. */
  deliver(account: string, topic: string, body: string): unknown;
  /** Fails for an account that there is not. */
  requireAccount(account: string): void;
};

/** The addresses that all vendors share which tell receivers of something. */
export function addDeliveries(control: ControlTable, vendor: Owner): void {
  const { outbox } = vendor;
  control.get("/deliveries", ({ query }) => {
    const [state, topic] = [query.get("state"), query.get("topic")];
    const found = outbox.deliveries.filter(
      (one) => (state ?? one.state) === one.state && (topic ?? one.topic) === one.topic,
    );
    return { deliveries: found.slice(-LIST_MAX) };
  });
  control.get("/deliveries/:id", ({ params }) => outbox.find(params.id ?? ""));
  control.act("/deliveries/:id/again", ({ params }) => outbox.again(params.id ?? ""));
  control.post("/deliver", Deliver, ({ account, topic, payload, body }) => {
    vendor.requireAccount(account);
    const text = body ?? (payload === undefined ? undefined : JSON.stringify(payload));
    if (text === undefined) throw vendorRefused({ reason: "Give `payload` or `body`." });
    return vendor.deliver(account, topic, text);
  });
  control.get("/subscriptions", () => ({ subscriptions: outbox.subscriptions }));
  control.post("/subscriptions", Subscribe, ({ account, url, topics }) => {
    vendor.requireAccount(account);
    return outbox.subscribe(account, url, topics ?? null);
  });
  control.delete("/subscriptions/:id", ({ params }) => outbox.unsubscribe(params.id ?? ""));
  control.put("/delivery-faults", FaultSet, (fault) => {
    outbox.setFault(fault);
    return outbox.fault ?? {};
  });
  control.delete("/delivery-faults", () => outbox.setFault(undefined));
  control.put("/delivery-rules", RulesSet, ({ deadlineMs, parallel }) => {
    outbox.deadlineMs = deadlineMs ?? outbox.deadlineMs;
    outbox.parallel = parallel ?? outbox.parallel;
    return { deadlineMs: outbox.deadlineMs, parallel: outbox.parallel };
  });
}
