import Type from "typebox";
import { answer, defineRoute } from "#kernel/http/route.ts";
import {
  customerIdentifierTaken,
  customerNotFound,
  customerTooManyPasses,
} from "./customer.errors.ts";
import { CUSTOMER_LIST, listCustomers } from "./customer.repository.ts";
import {
  CUSTOMER_EXAMPLE,
  CustomerCreate,
  CustomerParams,
  CustomerResource,
  CustomerUpdate,
  presentCustomer,
  versionOf,
} from "./customer.schema.ts";
import { createCustomer, deleteCustomer, getCustomer, updateCustomer } from "./customer.service.ts";

const {
  customerId: _id,
  createdAt: _created,
  updatedAt: _updated,
  version: _version,
  ...BODY_EXAMPLE
} = CUSTOMER_EXAMPLE;

export const customerList = defineRoute({
  op: "customer.list",
  method: "GET",
  url: "/api/:tenantId/customers",
  scope: "Customer.Read",
  summary: "List customers",
  description:
    "The newest first. An identifier is named as `identifiers.crm.id`; `consents.newsletter` is true or false, and absent where there was no answer.",
  list: CUSTOMER_LIST,
  reply: Type.Array(CustomerResource),
  example: { reply: [CUSTOMER_EXAMPLE] },
  handle: listCustomers,
});

export const customerCreate = defineRoute({
  op: "customer.create",
  method: "POST",
  url: "/api/:tenantId/customers",
  scope: "Customer.Write",
  summary: "Create a customer",
  description:
    "Linked to every pass that has one of the identifiers. An identifier that another customer has is refused with 409, which names the holder.",
  body: CustomerCreate,
  reply: CustomerResource,
  status: 201,
  errors: [customerIdentifierTaken],
  example: { body: BODY_EXAMPLE, reply: CUSTOMER_EXAMPLE },
  async handle(context, { body }) {
    const customer = await createCustomer(context, body);
    const location = `/api/${context.tenantId}/customers/${customer.id}`;
    const version = versionOf(customer);
    return answer(presentCustomer(customer), { status: 201, headers: { location }, version });
  },
});

export const customerGet = defineRoute({
  op: "customer.get",
  method: "GET",
  url: "/api/:tenantId/customers/:customerId",
  scope: "Customer.Read",
  summary: "Read one customer",
  params: CustomerParams,
  reply: CustomerResource,
  errors: [customerNotFound],
  example: { reply: CUSTOMER_EXAMPLE },
  async handle(context, { params }) {
    const customer = await getCustomer(context, params.customerId);
    return answer(presentCustomer(customer), { version: versionOf(customer) });
  },
});

export const customerUpdate = defineRoute({
  op: "customer.update",
  method: "PATCH",
  url: "/api/:tenantId/customers/:customerId",
  scope: "Customer.Write",
  summary: "Change what is known of a customer",
  description: "What is not sent stays; null deletes.",
  params: CustomerParams,
  body: CustomerUpdate,
  reply: CustomerResource,
  errors: [customerNotFound, customerIdentifierTaken],
  example: {
    body: { phone: null, consents: { newsletter: null } },
    reply: { ...CUSTOMER_EXAMPLE, phone: null, consents: {}, version: 2 },
  },
  async handle(context, { params, body }) {
    const customer = await updateCustomer(context, params.customerId, body);
    return answer(presentCustomer(customer), { version: versionOf(customer) });
  },
});

export const customerDelete = defineRoute({
  op: "customer.delete",
  method: "DELETE",
  url: "/api/:tenantId/customers/:customerId",
  scope: "Customer.Write",
  summary: "Erase a customer",
  description:
    "The record, its identifiers, the contents of its events and stored answers are erased at once; that events happened, and how many, stays. Cannot be undone.",
  params: CustomerParams,
  query: Type.Object(
    {
      passes: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            "Erase the passes that share an identifier with the customer too. Needs `Pass.Write`.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  errors: [customerNotFound, customerTooManyPasses],
  async handle(context, { params, query }) {
    await deleteCustomer(context, params.customerId, { withPasses: query.passes === true });
  },
});

export const customerRoutes = [
  customerList,
  customerCreate,
  customerGet,
  customerUpdate,
  customerDelete,
];
