import { isTimeZone } from "#kernel/intl.ts";
import {
  configFile,
  defineConfigFiles,
  defineFinding,
  type Finding,
  type FittingFile,
} from "#src/files/public.ts";
import { cronProblem } from "./cron.ts";
import { Schedule } from "./schedule.schema.ts";

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

function checkSchedule({ value, at }: FittingFile<Schedule>): Finding[] {
  const known = new Set<string>();
  return value.tasks.flatMap(({ id, cron, timeZone }, index) => {
    const place = (member: string) => at(["tasks", index, member]);
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

export const configFiles = defineConfigFiles([
  configFile({
    path: "server/schedule.yml",
    schema: Schedule,
    about: () =>
      "What is done at set times. The scheduler that runs it follows; the file is checked already.",
    example: 'tasks:\n  - { id: expire, kind: expire-passes, cron: "30 3 * * *" }\n',
    findings: [scheduleCron, scheduleTimeZone, scheduleDuplicateId],
    check: checkSchedule,
  }),
]);
