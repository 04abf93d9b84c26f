export { eventCatalogue } from "./webhook.catalogue.ts";
