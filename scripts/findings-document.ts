import { createPorts } from "#kernel/port.ts";
import { allProvisions } from "#main/modules.ts";
import { allFindings, type FindingKind, yamlFindings } from "#src/files/public.ts";
import { checkFindings, loadRules, ruleAddresses } from "#src/templates/public.ts";
import { ownFindings } from "#src/tenants/public.ts";

const { kinds, wallets } = await loadRules(ruleAddresses(createPorts(allProvisions())));

/** All findings that a check of a configuration can report. */
export function everyFinding(): FindingKind[] {
  // A finding that several kinds of file share is listed once.
  const ofFiles = new Set(kinds.kinds.flatMap(({ findings = [] }) => findings));
  const ofWallets = wallets.flatMap(({ findings }) => findings);
  return allFindings(yamlFindings, ownFindings, [...ofFiles], ofWallets, checkFindings(kinds));
}

const HEAD = `# Findings

What \`GET /api/tenants/{tenantId}/test\` can say about the files of a tenant. Codes do not change.
An error keeps a configuration from being published; warnings and notes do not. Every finding names
the file and, where there is one, the line and the column.

This page is generated from the rules.
`;

/** Returns the text of docs/findings.md. */
export function findingsDocument(): string {
  const byArea = Map.groupBy(everyFinding(), ({ code }) => code.slice(0, code.indexOf(".")));
  const sections = [...byArea].map(([area, kinds]) => `\n## ${area}\n\n${table(kinds)}`);
  return `${HEAD}${sections.join("")}`;
}

function table(kinds: readonly FindingKind[]): string {
  const rows = kinds.map(
    ({ code, severity, summary, hint }) =>
      `| \`${code}\` | ${severity} | ${cell(summary)} | ${cell(hint)} |\n`,
  );
  return `| Code | Severity | What it says | What to do |\n|---|---|---|---|\n${rows.join("")}`;
}

/** Escapes `|`, which ends a cell, and brackets, which would be read as HTML. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
