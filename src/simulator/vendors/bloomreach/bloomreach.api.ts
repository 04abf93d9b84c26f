import type { VendorAnswer } from "../frame/vendor.server.ts";
import {
  type Customer,
  type Json,
  readAttribute,
  setProperties,
  track,
} from "./bloomreach.customers.ts";
import type { Project } from "./bloomreach.project.ts";

/** A request that came with a good key. */
export type Call = {
  readonly project: Project;
  readonly seconds: number;
  /** The customer with one of these ids, made if there is none; undefined without a usable id. */
  readonly customerOf: (ids: unknown) => Customer | undefined;
  readonly knownCustomerOf: (ids: unknown) => Customer | undefined;
  /** Notes that a command arrived and was taken. */
  readonly arrived: (name: string, data: Json) => void;
};

const BATCH_MAX = 50;
/** A time in milliseconds is taken for a far one in seconds, which the API refuses. */
const SECONDS_MAX = 32_503_680_000;

type Result = Json & { readonly success: boolean };

export function failed(status: number, error: string): VendorAnswer {
  return { status, body: { success: false, error } };
}

/** `operation` is the method, the area and the rest of the address. */
export function answerCall(operation: string, data: Json, call: Call): VendorAnswer {
  switch (operation) {
    case "GET track system/time":
      return ok({ success: true, errors: [], time: call.seconds });
    case "GET data consent/categories":
      return ok({ success: true, results: call.project.categories.map(describeCategory) });
    case "POST track customers":
    case "POST track customers/events":
      return ok(run(operation.replace("POST track ", ""), data, call));
    case "POST track batch":
      return batch(data, call);
    case "POST data customers/attributes":
      return attributes(data, call);
    case "POST data customers/export-one":
      return exportOne(data, call);
    case "POST data customers/anonymize":
      return anonymize(data, call);
    default:
      return failed(404, "Not found");
  }
}

const ok = (body: unknown): VendorAnswer => ({ status: 200, body });

/** One command, by itself or of a batch. */
function run(name: unknown, data: unknown, call: Call): Result {
  const sent = (typeof data === "object" && data !== null ? data : {}) as Json;
  switch (name) {
    case "system/time":
      return { success: true, time: call.seconds };
    case "customers":
      return updateCustomer(sent, call);
    case "customers/events":
      return trackEvent(sent, call);
    default:
      return refused(`unknown command '${String(name)}'`);
  }
}

function updateCustomer(data: Json, call: Call): Result {
  if (!isObject(data.properties)) return refused("properties: must be an object");
  const customer = call.customerOf(data.customer_ids);
  if (customer === undefined) return refused("No valid customer id");
  const at = typeof data.update_timestamp === "number" ? data.update_timestamp : call.seconds;
  setProperties(customer, data.properties, at);
  call.arrived("customers", data);
  return { success: true, errors: [] };
}

function trackEvent(data: Json, call: Call): Result {
  const { event_type: type, timestamp = call.seconds, properties = {} } = data;
  if (typeof type !== "string" || type === "") return refused("event_type: is required");
  if (call.project.forbiddenEvents.includes(type)) {
    return refused(`not authorized to create event '${type}'`);
  }
  if (typeof timestamp !== "number" || timestamp < 0 || timestamp > SECONDS_MAX) {
    return refused("timestamp: is not a time in seconds");
  }
  if (!isObject(properties)) return refused("properties: must be an object");
  const customer = call.customerOf(data.customer_ids);
  if (customer === undefined) return refused("No valid customer id");
  track(customer, { type, timestamp, properties });
  call.arrived("customers/events", data);
  return { success: true, errors: [] };
}

/** Commands fail one by one; a batch fails whole only if it is no batch. */
function batch({ commands }: Json, call: Call): VendorAnswer {
  if (!Array.isArray(commands)) return whole("commands: must be a list");
  if (commands.length > BATCH_MAX) return whole(`at most ${BATCH_MAX} commands in a batch`);
  const start_time = call.seconds;
  const results = commands.map((command: unknown) => {
    const { name, data, command_id } = (isObject(command) ? command : {}) as Json;
    const result = run(name, data, call);
    return command_id === undefined ? result : { ...result, command_id };
  });
  return ok({ success: true, results, start_time, end_time: call.seconds });
}

const whole = (message: string): VendorAnswer => ({
  status: 400,
  body: { success: false, message },
});

function attributes(data: Json, call: Call): VendorAnswer {
  if (!Array.isArray(data.attributes)) return failed(400, "attributes: must be a list");
  const customer = call.knownCustomerOf(data.customer_ids);
  if (customer === undefined) return unknownCustomer();
  const { forbiddenAttributes } = call.project;
  const results = data.attributes.map((wanted: unknown) =>
    readAttribute(customer, isObject(wanted) ? wanted : {}, forbiddenAttributes),
  );
  return ok({ success: true, results });
}

function exportOne(data: Json, call: Call): VendorAnswer {
  if (!call.project.mayExport) return failed(403, "No permission to export customers");
  const customer = call.knownCustomerOf(data.customer_ids);
  if (customer === undefined) return unknownCustomer();
  const { ids, properties, events } = customer;
  return ok({ success: true, ids, properties, events });
}

function anonymize(data: Json, call: Call): VendorAnswer {
  if (!call.project.mayExport) return failed(403, "No permission to anonymize customers");
  const customer = call.knownCustomerOf(data.customer_ids);
  if (customer === undefined) return unknownCustomer();
  const { customers } = call.project;
  customers.splice(customers.indexOf(customer), 1);
  call.arrived("customers/anonymize", data);
  return ok({ success: true });
}

function unknownCustomer(): VendorAnswer {
  const errors = { _global: ["Customer does not exist"] };
  return { status: 404, body: { success: false, errors } };
}

const refused = (error: string): Result => ({ success: false, errors: [error] });

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function describeCategory(id: string): object {
  return {
    id,
    legitimate_interest: false,
    sources: { crm: true, import: true, page: true, private_api: true, public_api: false },
    translations: { "": { name: id, description: null } },
  };
}
