import Type, { type Static } from "typebox";
import { cronProblem } from "./cron.ts";
import { defineFinding, type Finding, type FindingKind } from "./finding.ts";
import { isTimeZone } from "./tenant.settings.ts";
import type { YamlFile } from "./yaml-file.ts";
import { checkYaml } from "./yaml-schema.ts";

/** `server/schedule.yml`: what is done for a tenant at set times. */

export const TASK_KINDS = [
  "expire-passes",
  "refresh-metadata",
  "import",
  "sync-wallet-classes",
  "check-credentials",
  "purge",
  "export",
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

const TASKS_MAX = 100;

export const ScheduledTask = Type.Object(
  {
    id: Type.String({
      pattern: "^[a-z0-9][a-z0-9-]{0,62}$",
      hint: "Use small letters, digits and '-', at most 63 of them.",
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
    settings: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "What the kind of task takes.",
        examples: [{ days: 30 }],
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

const scheduleCron = defineFinding<{ readonly cron: string; readonly problem: string }>({
  code: "schedule.cron",
  severity: "error",
  summary: "A schedule cannot be kept.",
  hint: "Write five fields, such as '30 3 * * *' for half past three every night.",
  message: ({ cron, problem }) => `The schedule '${cron}' ${problem}.`,
});

const scheduleTimeZone = defineFinding<{ readonly timeZone: string }>({
  code: "schedule.time-zone-unknown",
  severity: "error",
  summary: "The time zone of a task is not known.",
  hint: "Use a name of the IANA database, such as Europe/Paris.",
  message: ({ timeZone }) => `There is no time zone '${timeZone}'.`,
});

const scheduleDuplicateId = defineFinding<{ readonly id: string }>({
  code: "schedule.duplicate-id",
  severity: "error",
  summary: "Two tasks have the same id.",
  hint: "Give every task an id of its own.",
  message: ({ id }) => `The id '${id}' is used twice.`,
});

export const scheduleFindings: readonly FindingKind[] = [
  scheduleCron,
  scheduleTimeZone,
  scheduleDuplicateId,
];

export function checkSchedule(path: string, file: YamlFile): Finding[] {
  const wrong = checkYaml(path, file, Schedule);
  if (wrong.length > 0) return wrong;
  const { tasks } = file.value as Schedule;
  const known = new Set<string>();
  return tasks.flatMap(({ id, cron, timeZone }, at) => {
    const place = (member: string) => ({ file: path, ...file.at(["tasks", at, member]) });
    const findings: Finding[] = [];
    if (known.has(id)) findings.push(scheduleDuplicateId(place("id"), { id }));
    known.add(id);
    const problem = cronProblem(cron);
    if (problem !== undefined) findings.push(scheduleCron(place("cron"), { cron, problem }));
    if (timeZone !== undefined && !isTimeZone(timeZone)) {
      findings.push(scheduleTimeZone(place("timeZone"), { timeZone }));
    }
    return findings;
  });
}
