import { IconCalendarClock } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type SchedulerSearch = {
  /** A part of the id of a task. */
  readonly q?: string;
  readonly sort?: string;
  readonly status?: string;
  /** Only runs of this task. */
  readonly task?: string;
  /** The run that is shown: `<task>/<execution>`. */
  readonly run?: string;
};

export const page = definePage<SchedulerSearch>({
  id: "scheduler",
  path: "scheduler",
  group: "data",
  order: 20,
  title: { en: "Scheduler", fr: "Planificateur" },
  keywords: {
    en: "tasks cron export nightly run execution log job",
    fr: "tâches cron export nuit exécution journal travail",
  },
  icon: IconCalendarClock,
  needs: "task.list",
  search: ["q", "sort", "status", "task", "run"],
});
