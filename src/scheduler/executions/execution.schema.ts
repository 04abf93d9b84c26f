import Type, { type Static } from "typebox";
import { TASK_KINDS, type TaskKindName } from "../schedule.settings.ts";

export const EXECUTION_ID_PREFIX = "exe";
const ID_EXAMPLE = "exe_0VfQm3Ks00x7Rk2LwPq9Zt";
const TASK_EXAMPLE = "nightly-export";

const Moment = Type.String({ format: "date-time" });
const maybe = <Schema extends Type.TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const ExecutionStatus = Type.Enum(["running", "succeeded", "failed"], {
  description: "`running` also while it waits for a worker: `startedAt` is null until then.",
});
export type ExecutionStatus = Static<typeof ExecutionStatus>;

export const ExecutionTrigger = Type.Enum(["schedule", "missed", "manual"], {
  description:
    "`missed` if its time, or several of them, passed while no worker ran or while the task was still running.",
});
export type ExecutionTrigger = Static<typeof ExecutionTrigger>;

const ExecutionFile = Type.Object(
  {
    name: Type.String({ examples: ["nightly-export-2026-01-31.csv"] }),
    rows: Type.Integer({ minimum: 0, description: "Without the first line." }),
    sizeBytes: Type.Integer({ minimum: 0 }),
  },
  { title: "ExecutionFile" },
);

const ExecutionProblem = Type.Object(
  { code: Type.String(), message: Type.String() },
  { title: "ExecutionProblem" },
);
export type ExecutionProblem = Static<typeof ExecutionProblem>;

const members = {
  executionId: Type.String({ examples: [ID_EXAMPLE] }),
  taskId: Type.String({ examples: [TASK_EXAMPLE] }),
  kind: Type.Enum([...TASK_KINDS]),
  status: ExecutionStatus,
  trigger: ExecutionTrigger,
  scheduledFor: maybe(Moment, "The time of the schedule; null if somebody asked for the run."),
  startedAt: maybe(Moment),
  finishedAt: maybe(Moment),
  createdBy: Type.String({ description: "Who asked for it; `billfold` is the schedule." }),
  attempts: Type.Integer({
    minimum: 0,
    description: "More than 1 if a process died in the middle and another took it over.",
  }),
  summary: maybe(Type.String(), "What was done, in one sentence; null until it has ended."),
  counts: Type.Record(Type.String(), Type.Number(), {
    description: "The same in numbers; which ones depends on the kind.",
  }),
  problem: maybe(ExecutionProblem, "Why it failed."),
  file: maybe(ExecutionFile, "What the run made; read it at `…/file`."),
};

/** An execution as lists and events show it. */
export const ExecutionResource = Type.Object(members, { title: "Execution" });
export type ExecutionResource = Static<typeof ExecutionResource>;

export const ExecutionLog = Type.Object(
  {
    time: Moment,
    level: Type.Enum(["info", "warn", "error"]),
    message: Type.String(),
    data: maybe(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: "ExecutionLog" },
);

export const LOGS_MAX = 1_000;
export const LOG_LENGTH_MAX = 500;

export const ExecutionDetail = Type.Object(
  {
    ...members,
    settings: Type.Record(Type.String(), Type.Unknown(), {
      description: "Of the task, as they were when the run was planned.",
    }),
    logs: Type.Array(ExecutionLog, {
      maxItems: LOGS_MAX,
      description: `The oldest first, at most ${LOGS_MAX}.`,
    }),
  },
  { title: "ExecutionDetail" },
);

export const TaskParams = Type.Object({
  tenantId: Type.String(),
  taskId: Type.String({ description: "The task, as the file calls it.", examples: [TASK_EXAMPLE] }),
});

export const ExecutionParams = Type.Object({
  ...TaskParams.properties,
  executionId: Type.String({ description: "The execution.", examples: [ID_EXAMPLE] }),
});

export type Execution = {
  readonly id: string;
  readonly taskId: string;
  readonly kind: TaskKindName;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly timeLimitSeconds: number;
  readonly status: ExecutionStatus;
  readonly trigger: ExecutionTrigger;
  readonly scheduledFor: Date | null;
  readonly createdBy: string;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly summary: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly problem: ExecutionProblem | null;
  readonly attempts: number;
  readonly logCount: number;
  readonly fileName: string | null;
  readonly fileRows: number;
  /** As text, because the column is a `bigint`. */
  readonly fileBytes: string;
};

export type LogLine = {
  readonly time: Date;
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>> | null;
};

const text = (moment: Date | null) => moment?.toISOString() ?? null;

export function presentExecution(execution: Execution): ExecutionResource {
  const { fileName, fileRows, fileBytes, problem } = execution;
  return {
    executionId: execution.id,
    taskId: execution.taskId,
    kind: execution.kind,
    status: execution.status,
    trigger: execution.trigger,
    scheduledFor: text(execution.scheduledFor),
    startedAt: text(execution.startedAt),
    finishedAt: text(execution.finishedAt),
    createdBy: execution.createdBy,
    attempts: execution.attempts,
    summary: execution.summary,
    counts: { ...execution.counts },
    problem: problem && { ...problem },
    // A file is there when the run has succeeded: half a file is none.
    file:
      fileName === null || execution.status !== "succeeded"
        ? null
        : { name: fileName, rows: fileRows, sizeBytes: Number(fileBytes) },
  };
}

export function presentLog({ time, level, message, data }: LogLine) {
  return { time: time.toISOString(), level, message, data };
}

export function executionVersionOf({
  id,
  status,
  logCount,
  attempts,
  fileName,
  fileRows,
}: Execution): string {
  // Rows are erased from files also after the end.
  const file = fileName === null ? "" : fileRows;
  return `${id}.${status}.${attempts}.${logCount}.${file}`;
}

export const EXECUTION_EXAMPLE: ExecutionResource = {
  executionId: ID_EXAMPLE,
  taskId: TASK_EXAMPLE,
  kind: "export",
  status: "succeeded",
  trigger: "schedule",
  scheduledFor: "2026-01-31T03:30:00.000Z",
  startedAt: "2026-01-31T03:30:00.412Z",
  finishedAt: "2026-01-31T03:30:02.902Z",
  createdBy: "billfold",
  attempts: 1,
  summary: "4,711 passes were exported.",
  counts: { passes: 4_711 },
  problem: null,
  file: { name: "nightly-export-2026-01-31.csv", rows: 4_711, sizeBytes: 612_430 },
};

export const DETAIL_EXAMPLE: Static<typeof ExecutionDetail> = {
  ...EXECUTION_EXAMPLE,
  settings: { passType: "loyalty" },
  logs: [
    {
      time: "2026-01-31T03:30:00.420Z",
      level: "info",
      message: "The export has 12 columns.",
      data: { columns: 12 },
    },
  ],
};
