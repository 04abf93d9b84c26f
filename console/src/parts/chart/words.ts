import { defineWords } from "../../words/define.ts";

export const words = defineWords({
  en: {
    asTable: "Show as a table",
    asChart: "Show as a chart",
    when: "When",
    // Read aloud when somebody comes to the chart by keyboard.
    readBy: (title: string) => `${title}: chart. The arrow keys read one value after the other.`,
  },
  fr: {
    asTable: "Afficher en tableau",
    asChart: "Afficher en graphique",
    when: "Quand",
    readBy: (title: string) =>
      `${title} : graphique. Les flèches lisent les valeurs l’une après l’autre.`,
  },
});
