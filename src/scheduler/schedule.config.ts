import { fieldErrors } from "#kernel/http/validation.ts";
import { isTimeZone } from "#kernel/intl.ts";
import {
  closest,
  configFile,
  defineConfigFiles,
  defineFinding,
  type FilesAround,
  type Finding,
  type FittingFile,
} from "#src/files/public.ts";
import { cronProblem } from "./cron/cron.ts";
import { SCHEDULE_FILE, Schedule, type ScheduledTask } from "./schedule.schema.ts";
import { TASK_SETTINGS } from "./schedule.settings.ts";

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

type UnknownSetting = {
  readonly kind: string;
  readonly name: string;
  readonly known: readonly string[];
};

const scheduleSettingUnknown = defineFinding<UnknownSetting>({
  code: "schedule.setting-unknown",
  severity: "error",
  summary: "A task has a setting that its kind does not take.",
  hint: "Remove it, or see docs/scheduler.md for the settings of each kind.",
  message: ({ kind, name }) => `A task of the kind '${kind}' takes no setting '${name}'.`,
  advice({ name, known }) {
    const meant = closest(name, known);
    if (meant !== undefined) return `Did you mean '${meant}'?`;
    return known.length === 0 ? undefined : `It takes ${known.join(", ")}.`;
  },
});

type WrongSetting = { readonly field: string; readonly problem: string };

const scheduleSettingInvalid = defineFinding<WrongSetting>({
  code: "schedule.setting-invalid",
  severity: "error",
  summary: "A setting of a task has a value that cannot be used.",
  hint: "See docs/scheduler.md for the settings of each kind.",
  message: ({ field, problem }) => `The setting '${field}' ${problem}.`,
});

const scheduleUnknownPassType = defineFinding<{ readonly passType: string }>({
  code: "schedule.unknown-pass-type",
  severity: "error",
  summary: "A task is about passes of a type that has no template.",
  hint: "Use the name of a file in server/passes, without '.yml'.",
  message: ({ passType }) => `There is no template '${passType}'.`,
});

function checkSchedule(file: FittingFile<Schedule>, around: FilesAround): Finding[] {
  const { value, at } = file;
  const known = new Set<string>();
  return value.tasks.flatMap((task, index) => {
    const { id, cron, timeZone } = task;
    const place = (member: string) => at(["tasks", index, member]);
    const findings: Finding[] = [];
    if (known.has(id)) findings.push(scheduleDuplicateId(place("id"), { id }));
    known.add(id);
    const problem = cronProblem(cron);
    if (problem !== undefined) findings.push(scheduleCron(place("cron"), { cron, problem }));
    if (timeZone !== undefined && !isTimeZone(timeZone)) {
      findings.push(scheduleTimeZone(place("timeZone"), { timeZone }));
    }
    return [...findings, ...checkSettings(file, index, task, around)];
  });
}

function checkSettings(
  { at }: FittingFile<Schedule>,
  index: number,
  { kind, settings = {} }: ScheduledTask,
  around: FilesAround,
): Finding[] {
  const schema = TASK_SETTINGS[kind];
  const place = (name: string) => at(["tasks", index, "settings", name]);
  const known: readonly string[] = Object.keys(schema.properties);
  const unknown = Object.keys(settings).filter((name) => !known.includes(name));
  const findings = unknown.map((name) =>
    scheduleSettingUnknown(place(name), { kind, name, known }),
  );
  const named = Object.fromEntries(
    Object.entries(settings).filter(([name]) => !unknown.includes(name)),
  );
  for (const [field, [problem = ""]] of Object.entries(fieldErrors(schema, named) ?? {})) {
    const [name = ""] = field.split(/[.[]/);
    findings.push(scheduleSettingInvalid(place(name), { field, problem }));
  }
  const { passType } = named;
  if (findings.length > 0 || typeof passType !== "string") return findings;
  return around.has(`server/passes/${passType}.yml`)
    ? []
    : [scheduleUnknownPassType(place("passType"), { passType })];
}

export const configFiles = defineConfigFiles([
  configFile({
    path: SCHEDULE_FILE,
    schema: Schedule,
    about: "What is done at set times. docs/scheduler.md tells of the kinds of tasks.",
    example: 'tasks:\n  - { id: expire, kind: expire-passes, cron: "30 3 * * *" }\n',
    findings: [
      scheduleCron,
      scheduleTimeZone,
      scheduleDuplicateId,
      scheduleSettingUnknown,
      scheduleSettingInvalid,
      scheduleUnknownPassType,
    ],
    check: checkSchedule,
  }),
]);
