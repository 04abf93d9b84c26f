import Type, { type Static } from "typebox";
import {
  DROP_STATUSES,
  type DropSummary,
  type ImportFile,
  OUTCOME_EXAMPLE,
  OutcomeView,
} from "#src/imports/public.ts";
import type { HostKeys } from "./host-keys/host-key.service.ts";
import type { SftpAddress } from "./sftp.address.ts";

const Moment = Type.String({ format: "date-time" });
const Count = Type.Integer({ minimum: 0 });
const maybe = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const SftpStatus = Type.Object(
  {
    sftpEnabled: Type.Boolean({ description: "Whether `tenant.yml` opens the file drop." }),
    host: maybe(Type.String(), "Where clients connect to; null while the file drop is closed."),
    port: maybe(Type.Integer(), "The port there."),
    username: maybe(Type.String(), "The user to sign in as: the id of the tenant."),
    fingerprint: maybe(
      Type.String({ pattern: "^SHA256:" }),
      "Of the server's key, as clients show it when they connect for the first time.",
    ),
    hostKeys: Type.Array(Type.String(), {
      description: "The server's keys, as they stand in `known_hosts` after the host.",
    }),
    passwordSet: Type.Boolean({ description: "Whether there is a secret `SFTP-PASSWORD`." }),
    keys: { ...Count, description: "How many public keys may sign in." },
    uploading: {
      ...Count,
      description: "Files that have not been received completely, or are named `.part` or `.tmp`.",
    },
    pending: {
      ...Count,
      description:
        "Files that wait for their import, or for a name without a dot before it, or are being imported.",
    },
    processed: { ...Count, description: "Files of which every row was tried." },
    error: { ...Count, description: "Files that could not be read to their end." },
    lastActivityAt: maybe(Moment, "The last change of a file; null if there was none."),
  },
  { title: "SftpStatus" },
);
export type SftpStatus = Static<typeof SftpStatus>;

export type DropFacts = {
  readonly tenantId: string;
  readonly isEnabled: boolean;
  readonly hasPassword: boolean;
  readonly keys: number;
  readonly address: SftpAddress;
  readonly hostKeys: HostKeys;
  readonly summary: DropSummary;
};

/** A file drop that is closed has no address, but may have files from before. */
export function presentStatus(facts: DropFacts): SftpStatus {
  const { isEnabled, address, hostKeys, summary } = facts;
  const whenOpen = <Value>(value: Value): Value | null => (isEnabled ? value : null);
  return {
    sftpEnabled: isEnabled,
    host: whenOpen(address.host),
    port: whenOpen(address.port),
    username: whenOpen(facts.tenantId),
    fingerprint: whenOpen(hostKeys.fingerprint),
    hostKeys: isEnabled ? [...hostKeys.publicKeys] : [],
    passwordSet: facts.hasPassword,
    keys: facts.keys,
    uploading: summary.uploading,
    pending: summary.pending,
    processed: summary.processed,
    error: summary.error,
    lastActivityAt: summary.lastActivityAt?.toISOString() ?? null,
  };
}

export const SftpFile = Type.Object(
  {
    fileName: Type.String({ examples: ["members.csv"] }),
    importId: Type.String({ description: "The import, as `/admin/imports` shows it." }),
    status: Type.Enum([...DROP_STATUSES], {
      description:
        "`pending` until its import has ended, then `processed` if every row was tried, whether or not all succeeded, or `error` if the file could not be read to its end.",
    }),
    size: { ...Count, description: "Bytes." },
    receivedAt: Moment,
    finishedAt: maybe(Moment, "When its import ended."),
    rows: { ...Count, description: "Rows that are done." },
    created: { ...Count, description: "Passes that were created." },
    updated: { ...Count, description: "Passes that were changed." },
    unchanged: { ...Count, description: "Rows whose pass was as wanted already." },
    failed: { ...Count, description: "Rows that failed; the log says why." },
    problem: maybe(
      Type.String(),
      "Why the file ended in `error`, or why nothing was done with it.",
    ),
    duplicateOf: maybe(
      Type.String(),
      "The import of the same contents, because of which this one did nothing.",
    ),
  },
  { title: "SftpFile" },
);
export type SftpFile = Static<typeof SftpFile>;

/** The log of a tenant without a file drop is empty, and tells of no file. */
export const SftpLog = Type.Object(
  {
    ...SftpFile.properties,
    fileName: maybe(SftpFile.properties.fileName, "The file; null without a file drop."),
    importId: maybe(SftpFile.properties.importId, "The import, as `/admin/imports` shows it."),
    status: maybe(SftpFile.properties.status, "As in the list of files."),
    receivedAt: maybe(Moment, "When the upload began."),
    outcomes: Type.Array(OutcomeView, { description: "What became of its rows, by pages." }),
  },
  { title: "SftpLog" },
);
export type SftpLog = Static<typeof SftpLog>;

export const SftpFileParams = Type.Object({
  tenantId: Type.String(),
  fileName: Type.String({ description: "The name of the file.", examples: ["members.csv"] }),
});

export function presentFile(file: ImportFile): SftpFile {
  const { state } = file;
  return {
    fileName: file.name,
    importId: file.id,
    status: state === "processed" || state === "error" ? state : "pending",
    size: file.size,
    receivedAt: file.receivedAt.toISOString(),
    finishedAt: file.finishedAt?.toISOString() ?? null,
    rows: file.rows,
    created: file.created,
    updated: file.updated,
    unchanged: file.unchanged,
    failed: file.failed,
    problem: file.problem,
    duplicateOf: file.duplicateOf,
  };
}

/** For a tenant without a file drop. */
export function presentNoFile(): SftpLog {
  return {
    fileName: null,
    importId: null,
    status: null,
    size: 0,
    receivedAt: null,
    finishedAt: null,
    rows: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    problem: null,
    duplicateOf: null,
    outcomes: [],
  };
}

export const STATUS_EXAMPLE: SftpStatus = {
  sftpEnabled: true,
  host: "passes.example.com",
  port: 2222,
  username: "cafe-lune",
  fingerprint: "SHA256:Yq1sWkq5N0xg3N5cGk4Gv0m6m8t7pXxkq0l9wq2rT3o",
  hostKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHB1YmxpYyBrZXkgb2YgdGhlIGV4YW1wbGUgc2VydmVy"],
  passwordSet: true,
  keys: 1,
  uploading: 0,
  pending: 1,
  processed: 12,
  error: 0,
  lastActivityAt: "2026-01-31T09:30:00.000Z",
};

export const FILE_EXAMPLE: SftpFile = {
  fileName: "members.csv",
  importId: "imp_0VfQm3Ks00x7Rk2LwPq9Zt",
  status: "processed",
  size: 48_211,
  receivedAt: "2026-01-31T09:30:00.000Z",
  finishedAt: "2026-01-31T09:30:04.000Z",
  rows: 1_000,
  created: 990,
  updated: 9,
  unchanged: 0,
  failed: 1,
  problem: null,
  duplicateOf: null,
};

export const LOG_EXAMPLE: SftpLog = { ...FILE_EXAMPLE, outcomes: [OUTCOME_EXAMPLE] };
