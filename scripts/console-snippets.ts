const HEAD = `// Follows from docs/webhooks.md by \`npm run generate\`: changes made by hand are lost there.

/** Functions that verify the signature of a webhook, as the documentation has them. */
`;

/** Everything below "Verify it" that has a heading and a block of code of its own. */
const SNIPPET = /^### (.+)\n\n```\w+\n([\s\S]*?)^```$/gm;

/** The functions of the guide for receivers, for the console. A test runs them in each language. */
export function consoleSnippets(guide: string): string {
  const [, after = ""] = guide.split("\n## Verify it\n");
  const [section = ""] = after.split("\n## ");
  const entries = [...section.matchAll(SNIPPET)].map(
    ([, name = "", code = ""]) =>
      `  {\n    name: ${JSON.stringify(name)},\n    code: \`${inTemplate(code)}\`,\n  },\n`,
  );
  if (entries.length === 0)
    throw new Error("docs/webhooks.md has no snippets where they are sought.");
  return `${HEAD}export const receiverSnippets = [\n${entries.join("")}] as const;\n`;
}

function inTemplate(code: string): string {
  return code.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${");
}
