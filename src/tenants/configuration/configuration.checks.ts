import type { TenantContext } from "#kernel/context.ts";
import { FairGate } from "#kernel/fair-gate.ts";
import { definePort, type Ports } from "#kernel/port.ts";
import {
  type FileSet,
  type Finding,
  isYaml,
  type SecretReader,
  type Severity,
  sortFindings,
} from "#src/files/public.ts";
import { SETTINGS_FILE, type SettingsReading } from "../settings/settings.check.ts";
import { type SettingsFacts, settingsFacts } from "../settings/settings.facts.ts";
import { readSettings } from "../settings/settings.thread.ts";
import type { TenantSettings } from "../settings/tenant.settings.ts";
import { checkTenantFiles } from "./configuration.own-checks.ts";

export type CheckInput = {
  readonly tenantId: string;
  readonly files: FileSet;
  /** Facts from `tenant.yml`, which is read before the other files. */
  readonly tenant: SettingsFacts;
  readonly secrets: SecretReader;
  /** Checks use ports to reach what other modules provide. */
  readonly ports: Ports;
  /** The address of this service; undefined where files are checked apart from one. */
  readonly baseUrl?: string;
};

/** A module that depends on this one checks the files whose meaning it knows. */
export type ConfigurationCheck = {
  readonly name: string;
  check(input: CheckInput): Promise<Finding[]>;
};

export const configurationChecks = definePort<ConfigurationCheck>("configuration check");

/** The URLs of the files in which modules declare the tenant files that they read. */
export const configFileAddresses = definePort<URL>("configuration files");

/** Makes a reader for the secrets of the tenant in the context. */
export const secretReaders = definePort<(context: TenantContext) => SecretReader>("secret reader");

export const limitableOperations = definePort<string>("limitable operation");

/*
 * At most three sets are checked at once, on every machine: trying templates and reading pictures
 * keeps a processor busy, in a process of up to 150 MB. Large sets have a gate of their own, so
 * that small sets never wait for them. Tenants take turns.
 */
const WAITING = { waitingPerGroupMax: 8, waitingMax: 200, waitMsMax: 20_000 };
const shortChecks = new FairGate({ atOnceMax: 2, ...WAITING });
const longChecks = new FairGate({ atOnceMax: 1, ...WAITING });
const SHORT_TEXT_BYTES_MAX = 64 * 1024;
const SHORT_BYTES_MAX = 4 * 1024 * 1024;

/** Waits until there is a place to examine these files: every examination takes a processor. */
export function examineInTurn<Result>(
  tenantId: string,
  files: FileSet,
  examine: () => Promise<Result>,
): Promise<Result> {
  return gateFor(files).run(tenantId, examine);
}

function gateFor(files: FileSet): FairGate {
  let [all, texts] = [0, 0];
  for (const [path, content] of files) {
    all += content.length;
    if (isYaml(path)) texts += content.length;
  }
  return all <= SHORT_BYTES_MAX && texts <= SHORT_TEXT_BYTES_MAX ? shortChecks : longChecks;
}

const FINDINGS_MAX = 500;
const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

export type CheckedConfiguration = {
  /** Errors first, then warnings, then information; each sorted by file and line. */
  readonly findings: readonly Finding[];
  /** Undefined if `tenant.yml` is missing or cannot be used; the findings then contain an error. */
  readonly settings: TenantSettings | undefined;
};

/** Reads and checks all files. Opens no transaction, because a check may take seconds. */
export async function checkConfiguration(
  context: TenantContext,
  files: FileSet,
): Promise<CheckedConfiguration> {
  const { tenantId, runtime } = context;
  const { settings, facts, ...reading } = await readOwnFile(context, files);
  const findings = [...checkTenantFiles(files), ...reading.findings];
  const input: CheckInput = {
    tenantId,
    files,
    tenant: facts,
    secrets: runtime.ports.one(secretReaders)(context),
    ports: runtime.ports,
    baseUrl: runtime.baseUrl,
  };
  await examineInTurn(tenantId, files, async () => {
    for (const check of runtime.ports.all(configurationChecks)) {
      findings.push(...(await check.check(input)));
    }
  });
  const byPlace = sortFindings(findings);
  const bySeverity = SEVERITIES.flatMap((severity) =>
    byPlace.filter((finding) => finding.severity === severity),
  );
  return { findings: bySeverity.slice(0, FINDINGS_MAX), settings };
}

/** Reads `tenant.yml`, which says what the other files are checked by. */
export async function readOwnFile(
  { tenantId, runtime }: TenantContext,
  files: FileSet,
): Promise<SettingsReading> {
  const bytes = files.get(SETTINGS_FILE);
  if (bytes === undefined) return { findings: [], settings: undefined, facts: settingsFacts({}) };
  return await readSettings(tenantId, bytes, runtime.ports.all(limitableOperations));
}
