export { scanRecorded } from "./scan.events.ts";
export { recordCheckIn } from "./scan-check-in.service.ts";
