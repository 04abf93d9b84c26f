import { TaskFailure } from "../kinds.port.ts";

/** How a run can end as failed, whatever its kind is. */

export const timeLimitReached = ({ seconds }: { seconds: number }): TaskFailure =>
  new TaskFailure(
    "execution.time-limit",
    `The run took longer than its limit of ${seconds} seconds and was ended.`,
  );

export const interruptedTooLong = ({ seconds }: { seconds: number }): TaskFailure =>
  new TaskFailure(
    "execution.time-limit",
    `The run was interrupted, and its limit of ${seconds} seconds was over before it could go on.`,
  );

export const databaseUnavailableFor = ({ seconds }: { seconds: number }): TaskFailure =>
  new TaskFailure(
    "execution.database-unavailable",
    `The database could not be used, again and again, until the limit of ${seconds} seconds was over.`,
  );

export const databaseTooSlow = ({ tries }: { tries: number }): TaskFailure =>
  new TaskFailure(
    "execution.database-too-slow",
    `The database took too long for one step of the run, ${tries} times.`,
  );

export const databaseBusy = ({ tries }: { tries: number }): TaskFailure =>
  new TaskFailure(
    "execution.database-busy",
    `The database was too busy for one step of the run, ${tries} times.`,
  );

export const tenantEnded = (): TaskFailure =>
  new TaskFailure("execution.tenant-deleted", "The tenant was deleted while the task was running.");

export const processLost = ({ attempts }: { attempts: number }): TaskFailure =>
  new TaskFailure(
    "execution.process-lost",
    `The process that ran it ended unexpectedly, ${attempts} times.`,
  );

export const kindUnavailable = ({ kind }: { kind: string }): TaskFailure =>
  new TaskFailure("task.kind-unavailable", `This installation cannot run tasks of kind '${kind}'.`);

export const fileTooLarge = ({ sizeBytesMax }: { sizeBytesMax: number }): TaskFailure =>
  new TaskFailure(
    "execution.file-too-large",
    `The file would have more than ${sizeBytesMax} bytes. Export fewer passes or columns.`,
  );
