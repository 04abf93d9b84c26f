import { hash } from "node:crypto";
import type { LocalizedPass } from "#src/templates/language/public.ts";
import {
  APPLE_STYLES,
  type AppleIdentity,
  type AppleTemplate,
  buildPassJson,
  buildPassStrings,
  formatStrings,
} from "../apple.content.ts";
import { enrolmentFiles } from "../enrolment/enrolment.files.ts";
import { languageFolders } from "../languages/language.folders.ts";
import {
  type ArchiveFile,
  type ArchiveStart,
  archiveRest,
  archiveStart,
} from "./bundle.archive.ts";
import { addMessage, type BundleMessage, withMessage } from "./bundle.message.ts";

/** The files that all passes of a template share, ready to be sent. */
export type SharedFiles = {
  readonly start: ArchiveStart;
  /** Their lines of the manifest. */
  readonly listed: string;
};

export type BundleInput = {
  readonly template: AppleTemplate;
  readonly rendered: LocalizedPass;
  readonly identity: AppleIdentity;
  readonly message: BundleMessage | undefined;
  /** Whether the phone asks the holder what the template wants to know. */
  readonly asks?: boolean;
};

/** A bundle without its signature. */
export type Unsigned = {
  readonly files: readonly ArchiveFile[];
  readonly manifest: Buffer;
};

type Sign = (content: Uint8Array, at: Date) => Promise<Buffer>;

/** The shared files come first in every archive, so their places in it are the same, too. */
export function shareFiles(files: readonly ArchiveFile[]): SharedFiles {
  return { start: archiveStart(files), listed: listFiles(files) };
}

/** The format asks for SHA-1. What keeps the files safe is the signature over this list. */
function listFiles(files: readonly ArchiveFile[]): string {
  return files
    .map(({ name, content }) => `${JSON.stringify(name)}:"${hash("sha1", content)}"`)
    .join(",");
}

export function buildUnsigned(shared: SharedFiles, input: BundleInput): Unsigned {
  const files = contentFiles(input);
  const listed = [shared.listed, listFiles(files)].filter((lines) => lines !== "").join(",");
  return { files, manifest: Buffer.from(`{${listed}}`) };
}

type ContentInput = Pick<BundleInput, "template" | "rendered" | "identity" | "message">;

/** pass.json and the tables of its translations, with the last message to the holder. */
export function buildContent({ template, rendered, identity, message }: ContentInput) {
  const shown = message === undefined ? rendered : withMessage(rendered, message);
  const json = addMessage(
    buildPassJson(template, rendered, identity),
    APPLE_STYLES[template.kind],
    shown,
  );
  return { json, strings: buildPassStrings(shown).tables };
}

function contentFiles(input: BundleInput): ArchiveFile[] {
  const { template, rendered, asks = false } = input;
  const { json, strings } = buildContent(input);
  const files: ArchiveFile[] = [{ name: "pass.json", content: Buffer.from(JSON.stringify(json)) }];
  const folders = languageFolders(strings.keys());
  for (const [language, table] of strings) {
    const content = Buffer.from(formatStrings(table));
    files.push({ name: `${folders.get(language)}.lproj/pass.strings`, content });
  }
  const { enrolment } = template.template;
  if (asks && enrolment !== undefined) files.push(...enrolmentFiles(enrolment, rendered));
  return files;
}

/**
 * Signs the manifest and returns what follows the shared files in the archive. Only this part is
 * kept for each pass, because the shared files are much larger.
 */
export async function signBundle(
  shared: SharedFiles,
  { files, manifest }: Unsigned,
  sign: Sign,
  at: Date,
): Promise<Buffer> {
  const signature = await sign(manifest, at);
  return archiveRest(
    [
      ...files,
      { name: "manifest.json", content: manifest },
      { name: "signature", content: signature },
    ],
    shared.start,
  );
}
