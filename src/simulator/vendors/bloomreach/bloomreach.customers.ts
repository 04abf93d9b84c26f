/** JSON of any shape. */
export type Json = Readonly<Record<string, unknown>>;

export type TrackedEvent = {
  readonly type: string;
  readonly timestamp: number;
  readonly properties: Json;
};

export type Customer = {
  ids: Readonly<Record<string, string>>;
  properties: Json;
  /** When each property was last set, in seconds: an older update does not replace it. */
  propertyTimes: Readonly<Record<string, number>>;
  computed: Json;
  consents: Readonly<Record<string, boolean>>;
  events: TrackedEvent[];
};

const EVENTS_MAX = 5_000;

export function newCustomer(ids: Customer["ids"]): Customer {
  return { ids, properties: {}, propertyTimes: {}, computed: {}, consents: {}, events: [] };
}

/** Sets properties, unless a later update has set them. */
export function setProperties(customer: Customer, values: Json, atSeconds: number): void {
  const isNewer = ([name]: [string, unknown]) => atSeconds >= (customer.propertyTimes[name] ?? 0);
  const taken = Object.entries(values).filter(isNewer);
  const times = Object.fromEntries(taken.map(([name]) => [name, atSeconds]));
  customer.properties = { ...customer.properties, ...Object.fromEntries(taken) };
  customer.propertyTimes = { ...customer.propertyTimes, ...times };
}

/** Events stand in the order of their own times, whatever order they came in. */
export function track(customer: Customer, event: TrackedEvent): void {
  customer.events.push(event);
  customer.events.sort((left, right) => left.timestamp - right.timestamp);
  if (customer.events.length > EVENTS_MAX) customer.events.shift();
  const { category, action } = event.properties;
  if (event.type === "consent" && typeof category === "string") {
    customer.consents = { ...customer.consents, [category]: action === "accept" };
  }
}

/** The answer for one wanted attribute. */
export function readAttribute(
  customer: Customer,
  wanted: Json,
  forbidden: readonly string[],
): Json {
  const { type } = wanted;
  const name = String(wanted.property ?? wanted.id ?? wanted.category ?? "");
  if (forbidden.includes(name)) return { success: false, error: "No permission" };
  switch (type) {
    case "property":
      return { success: true, value: customer.properties[name] ?? null };
    case "id":
      return { success: true, value: customer.ids[name] ?? null };
    case "consent":
      return { success: true, value: customer.consents[name] ?? false };
    case "segmentation":
    case "expression":
    case "aggregate":
    case "prediction":
      return name in customer.computed
        ? { success: true, value: customer.computed[name] }
        : { success: false, error: "Not found" };
    default:
      return { success: false, error: "Unsupported attribute type" };
  }
}
