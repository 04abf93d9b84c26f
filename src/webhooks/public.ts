export { registerEventCatalogue } from "./webhook.catalogue.ts";
