import type { TenantContext } from "#kernel/context.ts";
import { FairGate } from "#kernel/fair-gate.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { FileSet } from "./configuration.files.ts";
import { checkTenantFiles } from "./configuration.own-checks.ts";
import { type Finding, type Severity, sortFindings } from "./finding.ts";

/** The secrets of the tenant under test, for credential checks. A value never reaches a finding. */
export type SecretReader = { read(key: string): Promise<string | undefined> };

export type CheckInput = {
  readonly tenantId: string;
  readonly files: FileSet;
  readonly secrets: SecretReader;
};

/** What a module above knows about some of the files. */
export type ConfigurationCheck = {
  readonly name: string;
  check(input: CheckInput): Promise<Finding[]>;
};

export type CheckPorts = {
  readonly checks: readonly ConfigurationCheck[];
  /** Ids of the operations of the API, for which a tenant may set limits. */
  readonly operations: readonly string[];
  secretsOf(context: TenantContext): SecretReader;
};

const portsByRuntime = new WeakMap<Runtime, CheckPorts>();

/** Called once at start: modules above add what they know without being known here. */
export function registerConfigurationChecks(runtime: Runtime, ports: CheckPorts): void {
  portsByRuntime.set(runtime, ports);
}

// Trying templates and reading pictures keeps a processor busy: nobody does it at others' expense.
const gate = new FairGate({ atOnceMax: 2, waitingPerGroupMax: 8 });

const FINDINGS_MAX = 500;
const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

/** Everything that is wrong or doubtful, errors first, then by place. Opens no transaction. */
export async function checkConfiguration(
  context: TenantContext,
  files: FileSet,
): Promise<Finding[]> {
  const ports = portsByRuntime.get(context.runtime);
  const findings = checkTenantFiles(files, ports?.operations ?? []);
  if (ports !== undefined) {
    const input = { tenantId: context.tenantId, files, secrets: ports.secretsOf(context) };
    await gate.run(context.tenantId, async () => {
      for (const check of ports.checks) findings.push(...(await check.check(input)));
    });
  }
  const byPlace = sortFindings(findings);
  return SEVERITIES.flatMap((severity) =>
    byPlace.filter((finding) => finding.severity === severity),
  ).slice(0, FINDINGS_MAX);
}
