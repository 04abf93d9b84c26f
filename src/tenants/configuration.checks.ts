import { availableParallelism } from "node:os";
import type { TenantContext } from "#kernel/context.ts";
import { FairGate } from "#kernel/fair-gate.ts";
import type { Runtime } from "#kernel/runtime.ts";
import type { FileSet } from "./configuration.files.ts";
import { checkTenantFiles } from "./configuration.own-checks.ts";
import { type Finding, type Severity, sortFindings } from "./finding.ts";
import { SETTINGS_FILE } from "./settings.check.ts";
import { readSettings } from "./settings.thread.ts";

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

/*
 * Trying templates and reading pictures keeps a processor busy: nobody does it at others' expense.
 * Those with much to check wait for each other, and never in front of those with little.
 */
const WAITING = { waitingPerGroupMax: 8, waitingMax: 200, waitMsMax: 20_000 };
const shortChecks = new FairGate({ atOnceMax: 2, ...WAITING });
const longChecks = new FairGate({ atOnceMax: Math.max(1, availableParallelism() - 1), ...WAITING });
const SHORT_TEXT_BYTES_MAX = 64 * 1024;
const SHORT_BYTES_MAX = 4 * 1024 * 1024;

function gateFor(files: FileSet): FairGate {
  let [all, texts] = [0, 0];
  for (const [path, content] of files) {
    all += content.length;
    if (path.endsWith(".yml")) texts += content.length;
  }
  return all <= SHORT_BYTES_MAX && texts <= SHORT_TEXT_BYTES_MAX ? shortChecks : longChecks;
}

const FINDINGS_MAX = 500;
const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

/** Everything that is wrong or doubtful, errors first, then by place. Opens no transaction. */
export async function checkConfiguration(
  context: TenantContext,
  files: FileSet,
): Promise<Finding[]> {
  const ports = portsByRuntime.get(context.runtime);
  const { tenantId } = context;
  const settings = files.get(SETTINGS_FILE);
  const findings = checkTenantFiles(files);
  if (settings !== undefined) {
    findings.push(...(await readSettings(tenantId, settings, ports?.operations)).findings);
  }
  if (ports !== undefined) {
    const input = { tenantId, files, secrets: ports.secretsOf(context) };
    await gateFor(files).run(tenantId, async () => {
      for (const check of ports.checks) findings.push(...(await check.check(input)));
    });
  }
  const byPlace = sortFindings(findings);
  return SEVERITIES.flatMap((severity) =>
    byPlace.filter((finding) => finding.severity === severity),
  ).slice(0, FINDINGS_MAX);
}
