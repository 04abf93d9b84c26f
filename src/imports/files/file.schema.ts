import Type, { type Static } from "typebox";
import { NAME_BYTES_MAX, nameProblem } from "./file.name.ts";

const ID_EXAMPLE = "imp_0VfQm3Ks00x7Rk2LwPq9Zt";

const Moment = Type.String({ format: "date-time" });
const Count = Type.Integer({ minimum: 0 });
const maybe = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const FILE_SOURCES = ["sftp", "http", "task"] as const;
export type FileSource = (typeof FILE_SOURCES)[number];

export const FILE_STATES = ["uploading", "pending", "running", "processed", "error"] as const;
export type FileState = (typeof FILE_STATES)[number];

/** An import as the API and events show it. */
export const ImportView = Type.Object(
  {
    importId: Type.String({ examples: [ID_EXAMPLE] }),
    fileName: Type.String({ examples: ["members.csv"] }),
    source: Type.Enum([...FILE_SOURCES], { description: "How the file came." }),
    status: Type.Enum([...FILE_STATES], {
      description:
        "`uploading` until the file is complete, `pending` until its turn comes, `running`, then `processed` if every row was tried, whether or not all of them succeeded, or `error` if the import ended before that: `problem` says why.",
    }),
    dryRun: Type.Boolean({ description: "Whether it only says what an import would do." }),
    size: { ...Count, description: "Bytes of the file." },
    contentHash: maybe(
      Type.String({ pattern: "^[0-9a-f]{64}$" }),
      "SHA-256 of the file; null until it is complete.",
    ),
    duplicateOf: maybe(
      Type.String(),
      "The import of the same contents, because of which this one did nothing.",
    ),
    rows: { ...Count, description: "Rows that are done." },
    created: { ...Count, description: "Passes that were created." },
    updated: { ...Count, description: "Passes that were changed." },
    unchanged: { ...Count, description: "Rows whose pass was as wanted already." },
    failed: { ...Count, description: "Rows that failed; the log says why." },
    progress: Type.Number({ minimum: 0, maximum: 1, description: "By bytes of the file." }),
    ratePerSecond: maybe(
      Type.Number({ minimum: 0 }),
      "Rows in a second; null until some are done.",
    ),
    remainingSeconds: maybe(Count, "null when unknown."),
    problem: maybe(Type.String(), "Why the import as a whole ended in `error`, or did nothing."),
    createdBy: Type.String({ description: "Who sent the file." }),
    receivedAt: Moment,
    startedAt: maybe(Moment, "When the first row was begun."),
    finishedAt: maybe(Moment, "When it ended."),
  },
  { title: "Import" },
);
export type ImportView = Static<typeof ImportView>;

export type ImportFile = {
  readonly id: string;
  readonly name: string;
  readonly source: FileSource;
  readonly state: FileState | "removed";
  readonly isDryRun: boolean;
  readonly isForced: boolean;
  readonly isComplete: boolean;
  readonly isCancelled: boolean;
  readonly size: number;
  readonly contentHash: Buffer | null;
  readonly contents: "kept" | "leaving" | "gone";
  readonly receivedAt: Date;
  readonly readyAt: Date | null;
  readonly startedAt: Date | null;
  /** The last change: of the contents while it is uploaded, of the counts while it is imported. */
  readonly touchedAt: Date;
  readonly finishedAt: Date | null;
  /** Rows that are done: where an import that was interrupted goes on. */
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly bytesDone: number;
  readonly identifierNames: readonly string[];
  readonly problem: string | null;
  readonly duplicateOf: string | null;
  readonly createdBy: string;
};

export function isOpen({ state }: Pick<ImportFile, "state">): boolean {
  return state === "uploading" || state === "pending" || state === "running";
}

/** Rates are as of the last progress, so that the answer changes only if the import does. */
export function presentImport(file: ImportFile): ImportView {
  const { state, size, bytesDone, rows } = file;
  const seconds = secondsOf(file);
  const isGoing = state === "running" && seconds > 0 && bytesDone > 0;
  return {
    importId: file.id,
    fileName: file.name,
    source: file.source,
    status: state === "removed" ? "error" : state,
    dryRun: file.isDryRun,
    size,
    contentHash: file.contentHash?.toString("hex") ?? null,
    duplicateOf: file.duplicateOf,
    rows,
    created: file.created,
    updated: file.updated,
    unchanged: file.unchanged,
    failed: file.failed,
    progress: progressOf(file),
    ratePerSecond: seconds > 0 && rows > 0 ? Math.round((rows / seconds) * 10) / 10 : null,
    remainingSeconds: isGoing ? Math.ceil(((size - bytesDone) * seconds) / bytesDone) : null,
    problem: file.problem,
    createdBy: file.createdBy,
    receivedAt: file.receivedAt.toISOString(),
    startedAt: file.startedAt?.toISOString() ?? null,
    finishedAt: file.finishedAt?.toISOString() ?? null,
  };
}

function progressOf({ state, size, bytesDone }: ImportFile): number {
  if (state === "processed") return 1;
  return size === 0 ? 0 : Math.min(1, bytesDone / size);
}

function secondsOf({ startedAt, touchedAt }: ImportFile): number {
  return startedAt === null ? 0 : (touchedAt.getTime() - startedAt.getTime()) / 1_000;
}

/** An import that nothing has happened to has the same version. */
export function versionOf({ id, state, size, rows, isCancelled }: ImportFile): string {
  return `${id}.${state}.${size}.${rows}${isCancelled ? ".cancelled" : ""}`;
}

const FileName = Type.Refine(
  Type.String({
    minLength: 1,
    maxLength: NAME_BYTES_MAX,
    description: "The name of the file, by which people find it again; not a path.",
    examples: ["members.csv"],
  }),
  (name) => nameProblem(name) === undefined,
  (name) => nameProblem(String(name)) ?? "must be the name of a file",
);

export const ImportCreateQuery = Type.Object({
  fileName: FileName,
  dryRun: Type.Optional(
    Type.Boolean({
      description:
        "Says in the log what would become of each row, and changes nothing. Default: false.",
    }),
  ),
  again: Type.Optional(
    Type.Boolean({
      description: "Imports the file although the same contents were imported. Default: false.",
    }),
  ),
});

/** The documented form of the file in JSON; it is read row by row, and a bad row is its own. */
export const ImportRows = Type.Array(
  Type.Object({}, { additionalProperties: true, title: "ImportRow" }),
  { title: "ImportRows", description: "One object for each row." },
);

export const ROWS_EXAMPLE = [
  {
    passType: "loyalty",
    identifiers: { loyalty: { number: "40012345" } },
    additionalData: { firstName: "Camille" },
  },
];

export const ImportParams = Type.Object({
  tenantId: Type.String(),
  importId: Type.String({ description: "The import.", examples: [ID_EXAMPLE] }),
});

export const IMPORT_EXAMPLE: ImportView = {
  importId: ID_EXAMPLE,
  fileName: "members.csv",
  source: "http",
  status: "processed",
  dryRun: false,
  size: 61_234_567,
  contentHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  duplicateOf: null,
  rows: 1_000_000,
  created: 999_000,
  updated: 900,
  unchanged: 90,
  failed: 10,
  progress: 1,
  ratePerSecond: 4_000,
  remainingSeconds: null,
  problem: null,
  createdBy: "crm",
  receivedAt: "2026-01-31T09:30:00.000Z",
  startedAt: "2026-01-31T09:30:02.000Z",
  finishedAt: "2026-01-31T09:34:12.000Z",
};
