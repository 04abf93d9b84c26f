import assert from "node:assert/strict";
import { createPorts } from "#kernel/port.ts";
import { allProvisions } from "#main/modules.ts";
import type { Finding } from "#src/files/public.ts";
import { templateCheck } from "#src/templates/public.ts";
import { GOOD_SECRETS } from "./good-configuration.ts";
import { factsOf } from "./read-templates.ts";

export type Secrets = Readonly<Record<string, string | undefined>>;

export async function check(files: Map<string, Buffer>, secrets: Secrets = GOOD_SECRETS) {
  const reader = { read: async (key: string) => secrets[key] };
  const tenant = factsOf(files);
  const ports = createPorts(allProvisions());
  return await templateCheck.check({
    tenantId: "harbour",
    files,
    tenant,
    secrets: reader,
    ports,
  });
}

export function placeOf(text: string, needle: string | undefined) {
  if (needle === undefined) return { line: null, column: null };
  const index = text.indexOf(needle);
  assert.notEqual(index, -1, `'${needle}' is not in the file`);
  const before = text.slice(0, index).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Found by their place; an unused image or translation may follow from a mistake, and is no part of it. */
export const summary = (findings: readonly Finding[]) =>
  findings
    .filter(({ code, severity }) => severity !== "info" || code === "locale.unused")
    .map(({ code, file, line, column }) => ({ code, file, line, column }));
