import Type, { type Static } from "typebox";
import { TASK_KINDS } from "./schedule.settings.ts";

/** The contents of `server/schedule.yml`: tasks that run for a tenant at set times. */

export const SCHEDULE_FILE = "server/schedule.yml";
const TASKS_MAX = 100;
export const TIME_LIMIT_SECONDS_DEFAULT = 3_600;

export const ScheduledTask = Type.Object(
  {
    id: Type.String({
      // `/scheduler/executions` is the address of all executions.
      pattern: "^(?!executions$)[a-z0-9][a-z0-9-]{0,62}$",
      hint: "Use small letters, digits and '-', at most 63 of them, and not 'executions'.",
      description: "By which the task is known; no two are the same.",
      examples: ["expire"],
    }),
    kind: Type.Enum([...TASK_KINDS], {
      description: "What is done.",
      examples: ["expire-passes"],
    }),
    cron: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "When, in five fields: minute, hour, day, month, day of the week.",
      examples: ["30 3 * * *"],
    }),
    timeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "In which those times are meant; default: the tenant's.",
        examples: ["Europe/Paris"],
      }),
    ),
    enabled: Type.Optional(
      Type.Boolean({
        default: true,
        description: "`false` keeps the task and does not run it.",
        examples: [false],
      }),
    ),
    timeLimitSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        default: TIME_LIMIT_SECONDS_DEFAULT,
        description: "After which a run is ended as failed.",
        examples: [600],
      }),
    ),
    settings: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "What the kind of task takes; docs/scheduler.md has them.",
        examples: [{ passType: "loyalty" }],
      }),
    ),
  },
  { additionalProperties: false, title: "Task" },
);
export type ScheduledTask = Static<typeof ScheduledTask>;

export const Schedule = Type.Object(
  {
    tasks: Type.Array(ScheduledTask, {
      maxItems: TASKS_MAX,
      description: "What is done at set times.",
      examples: [[{ id: "expire", kind: "expire-passes", cron: "30 3 * * *" }]],
    }),
  },
  { additionalProperties: false },
);
export type Schedule = Static<typeof Schedule>;
