import { isUtf8 } from "node:buffer";
import Type, { type Static } from "typebox";
import type { FileSet } from "#src/files/public.ts";
import { TenantId } from "../tenant.schema.ts";

/** Where the draft lives beside the versions. */
export const DRAFT_VERSION = 0;

const Base64 = Type.Object(
  {
    base64: Type.String({
      // No pattern: looking for one takes five times as long as decoding, which finds the same out.
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

/** Undefined for base64 that is cut off or padded wrongly: its bytes would not be the sender's. */
export function decodeFile(sent: SentFile): Buffer | undefined {
  if (typeof sent === "string") return Buffer.from(sent);
  return decodeBase64(sent.base64);
}

/**
 * Node's decoder skips what it does not know, takes the letters of addresses too, and forgets the
 * bits that are left over: whether all of it was base64 shows in how much came out, and in the end.
 */
function decodeBase64(text: string): Buffer | undefined {
  const content = Buffer.from(text, "base64");
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  if (content.length !== (text.length / 4) * 3 - padding) return undefined;
  if (text.includes("-") || text.includes("_")) return undefined;
  const last = content.subarray(content.length - (content.length % 3 || 3));
  return last.toString("base64") === text.slice(-4) ? content : undefined;
}

/** Text where nothing is lost by it, so that people can read and edit what they get. */
export function presentFile(content: Buffer): SentFile {
  const text = textOf(content);
  return text === undefined ? { base64: content.toString("base64") } : text;
}

export function presentFiles(files: FileSet): Record<string, SentFile> {
  return Object.fromEntries([...files].map(([path, content]) => [path, presentFile(content)]));
}

/** Undefined for bytes that are no text, or would not come back the same. */
export function textOf(content: Buffer): string | undefined {
  if (!isUtf8(content) || content.includes(0)) return undefined;
  return content.toString("utf8");
}
