import { isTimeZone } from "#kernel/intl.ts";
import {
  checkYaml,
  closest,
  defineFinding,
  type Finding,
  type FindingKind,
  readYaml,
  type YamlFile,
} from "#src/files/public.ts";
import { type SettingsFacts, settingsFacts } from "./settings.facts.ts";
import { sshKeyProblem } from "./settings.ssh-key.ts";
import { TenantSettings } from "./tenant.settings.ts";

export const SETTINGS_FILE = "tenant.yml";

const timeZoneUnknown = defineFinding({
  code: "tenant.time-zone-unknown",
  severity: "error",
  summary: "The time zone is not known.",
  hint: "Use a name of the IANA database, such as Europe/Paris.",
});
const operationUnknown = defineFinding<{
  readonly name: string;
  readonly meant: string | undefined;
}>({
  code: "tenant.operation-unknown",
  severity: "error",
  summary: "A rate limit names an operation that does not exist.",
  hint: "Use an operationId of the API reference, or 'default' for all that are not named.",
  message: ({ name }) => `There is no operation '${name}' to limit.`,
  advice: ({ meant }) => (meant === undefined ? undefined : `Did you mean '${meant}'?`),
});

const sftpKeyUnusable = defineFinding<{ readonly problem: string }>({
  code: "tenant.sftp-key-unusable",
  severity: "error",
  summary: "Nobody can sign in to the file drop with a public key.",
  hint: "Use a line of a public key file, such as ~/.ssh/id_ed25519.pub: Ed25519, ECDSA, or RSA from 2048 bits.",
  message: ({ problem }) => `This key ${problem}.`,
});

export const settingsFindings: readonly FindingKind[] = [
  timeZoneUnknown,
  operationUnknown,
  sftpKeyUnusable,
];

/** For every unknown name, all operations are compared to find the nearest one. */
const OPERATIONS_TOLD_MAX = 20;

export type SettingsReading = {
  readonly findings: readonly Finding[];
  /** Undefined if the file does not fit the schema. */
  readonly settings: TenantSettings | undefined;
  /** Present even if the file does not fit the schema. */
  readonly facts: SettingsFacts;
};

/** `operations` are the operations that a tenant may limit. */
export function checkSettings(bytes: Buffer, operations: readonly string[]): SettingsReading {
  const { file, findings } = readYaml(SETTINGS_FILE, bytes);
  const facts = settingsFacts(file?.value);
  if (file === undefined) return { findings, settings: undefined, facts };
  const wrong = checkYaml(SETTINGS_FILE, file, TenantSettings);
  if (wrong.length > 0) return { findings: [...findings, ...wrong], settings: undefined, facts };
  return {
    findings: [
      ...findings,
      ...checkTimeZone(file),
      ...checkRateLimits(file, operations),
      ...checkSftpKeys(file),
    ],
    settings: file.value as TenantSettings,
    facts,
  };
}

function checkRateLimits(file: YamlFile, operations: readonly string[]): Finding[] {
  const { rateLimits = {} } = file.value as TenantSettings;
  const known = new Set([...operations, "default"]);
  return Object.keys(rateLimits)
    .filter((name) => !known.has(name))
    .slice(0, OPERATIONS_TOLD_MAX)
    .map((name) =>
      operationUnknown(
        { file: SETTINGS_FILE, ...file.keyAt(["rateLimits", name]) },
        { name, meant: closest(name, known) },
      ),
    );
}

function checkSftpKeys(file: YamlFile): Finding[] {
  const { keys = [] } = (file.value as TenantSettings).sftp ?? {};
  return keys.flatMap((line, index) => {
    const problem = sshKeyProblem(line);
    if (problem === undefined) return [];
    const place = { file: SETTINGS_FILE, ...file.at(["sftp", "keys", index]) };
    return [sftpKeyUnusable(place, { problem })];
  });
}

function checkTimeZone(file: YamlFile): Finding[] {
  const { timeZone } = file.value as TenantSettings;
  if (timeZone === undefined || isTimeZone(timeZone)) return [];
  return [timeZoneUnknown({ file: SETTINGS_FILE, ...file.at(["timeZone"]) })];
}
