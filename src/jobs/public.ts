export {
  findJob,
  insertDone,
  insertWalk,
  type LockedJob,
  listBusyTenants,
  lockJobs,
} from "./job.repository.ts";
export { acceptedJob, type Job, type JobRequest } from "./job.schema.ts";
export {
  addWalkStep,
  cancelJob,
  noteFailures,
  type Outcome,
  recordOutcomes,
  startJob,
} from "./job.service.ts";
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
