import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { passCompanions } from "#src/passes/public.ts";
import { purgers } from "#src/scheduler/public.ts";
import { plugReceiptPage } from "./page/page.routes.ts";
import { receiptEvents } from "./receipt.events.ts";
import { linkReceipts, purgeReceipts, receiptPurger } from "./receipt.jobs.ts";
import { eraseReceiptsOfErased } from "./receipt.listeners.ts";
import { receiptRoutes } from "./receipt.routes.ts";
import { receiptsOfPasses } from "./receipt.service.ts";

export const receiptsModule = defineModule({
  name: "receipts",
  routes: receiptRoutes,
  jobs: [linkReceipts, purgeReceipts],
  events: receiptEvents,
  listeners: [eraseReceiptsOfErased],
  provides: [provide(passCompanions, receiptsOfPasses), provide(purgers, receiptPurger)],
  plug: plugReceiptPage,
});
