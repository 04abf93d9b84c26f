import type { Mistake } from "./mistake.ts";

export const SCHEDULE_FILE = "server/schedule.yml";

/** What can be wrong with scheduled tasks. */
export const SCHEDULE_MISTAKES: readonly Mistake[] = [
  {
    title: "a schedule that can never run",
    file: SCHEDULE_FILE,
    from: '"5 0 * * *"',
    to: '"5 0 30 2 *"',
    code: "schedule.cron",
    at: '"5 0 30 2 *"',
  },
  {
    title: "a time zone that does not exist",
    file: SCHEDULE_FILE,
    from: "Europe/Lisbon",
    to: "Europe/Lissabon",
    code: "schedule.time-zone-unknown",
    at: "Europe/Lissabon",
  },
  {
    title: "two tasks with one id",
    file: SCHEDULE_FILE,
    from: "id: week",
    to: "id: night",
    code: "schedule.duplicate-id",
    at: "night\n    kind: purge",
  },
  {
    title: "a task that has the address of all executions",
    file: SCHEDULE_FILE,
    from: "id: week",
    to: "id: executions",
    code: "schema.pattern",
    at: "executions",
  },
  {
    title: "a setting that the kind of task does not take",
    file: SCHEDULE_FILE,
    from: 'cron: "0 4 * * sun"',
    to: 'cron: "0 4 * * sun"\n    settings: { day: 30 }',
    code: "schedule.setting-unknown",
    at: "30",
  },
  {
    title: "a setting of a task that cannot be",
    file: SCHEDULE_FILE,
    from: 'kind: purge\n    cron: "0 4 * * sun"',
    to: 'kind: export\n    cron: "0 4 * * sun"\n    settings: { columns: [passId, secret] }',
    code: "schedule.setting-invalid",
    at: "[passId, secret]",
  },
  {
    title: "a task for passes without a template",
    file: SCHEDULE_FILE,
    from: 'cron: "5 0 * * *"',
    to: 'cron: "5 0 * * *"\n    settings: { passType: clubs }',
    code: "schedule.unknown-pass-type",
    at: "clubs",
  },
];
