export { erasedCustomers } from "./customer.erased.ts";
export { customerNotFound, customerTooManyPasses, isIdentifierTaken } from "./customer.errors.ts";
export { customerCreated, customerDeleted, customerUpdated } from "./customer.events.ts";
export { type CustomerLink, customerLinks } from "./customer.links.ts";
export { holdCustomer, holdsIdentifiers } from "./customer.repository.ts";
export {
  type Customer,
  CustomerCreate,
  CustomerParams,
  CustomerResource,
  CustomerUpdate,
  presentCustomer,
} from "./customer.schema.ts";
export {
  createCustomer,
  enrolCustomer,
  eraseCustomerBy,
  getCustomer,
  updateCustomer,
  upsertCustomer,
} from "./customer.service.ts";
export { identifiersBusy } from "./identifier.errors.ts";
export {
  addIdentifierErrors,
  IDENTIFIER_LENGTH_MAX,
  IDENTIFIERS_MAX,
  type Identifiers,
} from "./identifier.rules.ts";
