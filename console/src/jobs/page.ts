import { IconProgressCheck } from "@tabler/icons-react";
import { definePage } from "../page.ts";

export type JobsSearch = {
  readonly q?: string;
  readonly sort?: string;
  readonly state?: string;
  /** The job that is shown by itself. */
  readonly job?: string;
};

export const page = definePage<JobsSearch>({
  id: "jobs",
  path: "jobs",
  group: "passes",
  order: 20,
  title: { en: "Jobs", fr: "Travaux" },
  keywords: {
    en: "bulk progress background changes cancel",
    fr: "masse progression arrière-plan modifications arrêter",
  },
  icon: IconProgressCheck,
  letter: "j",
  needs: "job.list",
  search: ["q", "sort", "state", "job"],
});
