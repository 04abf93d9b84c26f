import { isUtf8 } from "node:buffer";
import Type, { type Static } from "typebox";
import type { FileSet } from "#src/files/public.ts";
import { TenantId } from "../tenant.schema.ts";

/** The files of the draft are stored like those of a version, under this number. */
export const DRAFT_VERSION = 0;

const Base64 = Type.Object(
  {
    base64: Type.String({
      // No pattern: decoding finds the same errors in a fifth of the time.
      contentEncoding: "base64",
      description: "The file's bytes.",
    }),
  },
  { additionalProperties: false },
);
const Text = Type.String({ description: "The file as text." });
const Message = Type.Optional(
  Type.String({ maxLength: 1_000, description: "Why, for the history." }),
);
const Path = Type.String();
/** Files by path, as they are sent; `null` takes one away. */
export const ChangedFiles = Type.Record(Path, Type.Union([Text, Base64, Type.Null()]), {
  description: "Only the files named change; `null` deletes one.",
});
export type ChangedFiles = Static<typeof ChangedFiles>;

export const ConfigurationPut = Type.Object(
  {
    files: Type.Record(Path, Type.Union([Text, Base64]), {
      minProperties: 1,
      description: "Path to content. `tenant.yml` must be among them.",
    }),
    message: Message,
  },
  { additionalProperties: false, title: "ConfigurationPut" },
);
export type ConfigurationPut = Static<typeof ConfigurationPut>;

export const ConfigurationPatch = Type.Object(
  {
    files: Type.Record(Path, Type.Union([Text, Base64, Type.Null()]), {
      minProperties: 1,
      description: "Only the files named change; `null` deletes one.",
    }),
    message: Message,
  },
  { additionalProperties: false, title: "ConfigurationPatch" },
);
export type ConfigurationPatch = Static<typeof ConfigurationPatch>;

export const FileChange = Type.Object(
  { path: Type.String(), change: Type.Enum(["added", "changed", "removed"]) },
  { title: "FileChange" },
);
export type FileChange = Static<typeof FileChange>;

export const Finding = Type.Object(
  {
    severity: Type.Enum(["error", "warning", "info"]),
    code: Type.String({ examples: ["yaml.syntax"] }),
    file: Type.String(),
    line: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    column: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    message: Type.String(),
    hint: Type.String(),
  },
  { title: "Finding" },
);

export const ConfigurationPublished = Type.Object(
  {
    tenantId: TenantId,
    version: Type.Integer({ minimum: 1, description: "The version in force." }),
    draft: Type.Optional(Type.Literal(true, { description: "Stored as a draft, not published." })),
    changes: Type.Array(FileChange),
    warnings: Type.Array(Finding, {
      description: "What is doubtful in the files. The errors of a draft are told by `GET …/test`.",
    }),
  },
  { title: "ConfigurationPublished" },
);
export type ConfigurationPublished = Static<typeof ConfigurationPublished>;

export const ConfigurationView = Type.Object(
  {
    tenantId: TenantId,
    version: Type.Integer({ minimum: 0, description: "0 for the draft." }),
    files: Type.Record(Path, Type.Union([Text, Base64])),
  },
  { title: "Configuration" },
);
export type ConfigurationView = Static<typeof ConfigurationView>;

export const ConfigurationVersionView = Type.Object(
  {
    version: Type.Integer({ minimum: 1 }),
    publishedAt: Type.String({ format: "date-time" }),
    author: Type.String(),
    message: Type.Union([Type.String(), Type.Null()]),
    changes: Type.Array(FileChange),
  },
  { title: "ConfigurationVersion" },
);

export type ConfigurationVersion = {
  readonly version: number;
  readonly publishedAt: Date;
  readonly author: string;
  readonly message: string | null;
  readonly changes: FileChange[];
};

export function presentVersion(row: ConfigurationVersion) {
  const { version, publishedAt, author, message, changes } = row;
  return { version, publishedAt: publishedAt.toISOString(), author, message, changes };
}

const Side = Type.Union([Type.String(), Type.Null()], {
  description: "The text on this side; null where there is none, or it is no text or too long.",
});

export const ConfigurationDiff = Type.Object(
  {
    from: Type.Integer({ minimum: 0 }),
    to: Type.Integer({ minimum: 0 }),
    changes: Type.Array(Type.Interface([FileChange], { before: Side, after: Side })),
  },
  { title: "ConfigurationDiff" },
);

export const ConfigurationTest = Type.Object(
  {
    valid: Type.Boolean({ description: "No finding is an error: it can be published." }),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    draft: Type.Optional(Type.Literal(true)),
    findings: Type.Array(Finding),
  },
  { title: "ConfigurationTest" },
);

type SentFile = string | { readonly base64: string };

/** Undefined if base64 is incomplete or wrongly padded: its bytes would not be those sent. */
export function decodeFile(sent: SentFile): Buffer | undefined {
  if (typeof sent === "string") return Buffer.from(sent);
  return decodeBase64(sent.base64);
}

/**
 * The decoder of Node skips unknown characters, accepts the URL-safe alphabet, and ignores spare
 * bits at the end. So this function checks the number of bytes, the alphabet and the last group.
 */
function decodeBase64(text: string): Buffer | undefined {
  const content = Buffer.from(text, "base64");
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  if (content.length !== (text.length / 4) * 3 - padding) return undefined;
  if (text.includes("-") || text.includes("_")) return undefined;
  const last = content.subarray(content.length - (content.length % 3 || 3));
  return last.toString("base64") === text.slice(-4) ? content : undefined;
}

/** Shows a file as text if its bytes are text, so that people can read and edit it. */
export function presentFile(content: Buffer): SentFile {
  const text = textOf(content);
  return text === undefined ? { base64: content.toString("base64") } : text;
}

export function presentFiles(files: FileSet): Record<string, SentFile> {
  return Object.fromEntries([...files].map(([path, content]) => [path, presentFile(content)]));
}

/** Undefined if the bytes are not UTF-8, or contain a zero byte as binary files do. */
export function textOf(content: Buffer): string | undefined {
  if (!isUtf8(content) || content.includes(0)) return undefined;
  return content.toString("utf8");
}
