export {
  addWalkStep,
  insertDone,
  insertWalk,
  type LockedJob,
  listBusyTenants,
  lockJobs,
} from "./job.repository.ts";
export { acceptedJob, type JobRequest } from "./job.schema.ts";
export { noteFailures, type Outcome, recordOutcomes, startJob } from "./job.service.ts";
export { JOB_HINT } from "./job.signal.ts";
export {
  claimWaiting,
  deleteCancelled,
  insertItems,
  insertSelected,
  type JobItem,
  listNextSubjects,
  takeAnyItems,
  takeItems,
  updateToReady,
} from "./job-item.repository.ts";
