import { defineWords } from "../../words/define.ts";

export const words = defineWords({
  en: {
    period: "Period",
    anyTime: "Any time",
    lastDays: (days: string) => (days === "1" ? "Last 24 hours" : `Last ${days} days`),
  },
  fr: {
    period: "Période",
    anyTime: "Depuis toujours",
    lastDays: (days: string) => (days === "1" ? "24 dernières heures" : `${days} derniers jours`),
  },
});
