export { type DeliveryCounts, listDeliveryCounts } from "./deliveries/delivery-count.repository.ts";
export { eventCatalogue } from "./webhook.catalogue.ts";
