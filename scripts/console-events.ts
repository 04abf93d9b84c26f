import type { EventDefinition } from "#kernel/events/define.ts";

const HEAD = `// Follows from the definitions of the events by \`npm run generate\`: changes made by hand are lost there.

/** Every event: its name, when it happens, and an example of its \`data\` as JSON. */
`;

/** The catalogue of events that the console shows. It holds texts, so that no digit of a number is lost. */
export function consoleEvents(events: readonly EventDefinition[]): string {
  const sorted = events.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const entries = sorted.map(
    ({ name, summary, example }) =>
      `  {\n    name: ${quote(name)},\n    when: ${quote(summary)},\n    body: ${quote(JSON.stringify(example))},\n  },\n`,
  );
  return `${HEAD}export const catalogue = [\n${entries.join("")}] as const;\n`;
}

/** As the formatter writes it: in the quotation marks that need fewer backslashes. */
function quote(text: string): string {
  const inDouble = JSON.stringify(text);
  if (!text.includes('"')) return inDouble;
  const inside = inDouble.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside}'`;
}
