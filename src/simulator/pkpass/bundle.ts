import { createHash } from "node:crypto";
import { checkSignature, type Signer } from "./cms.ts";
import { requirePassJson, requireService } from "./pass-json.ts";
import { readStrings, type Strings } from "./strings.ts";
import { readZip } from "./zip.ts";

export type PassJson = Readonly<Record<string, unknown>>;

/** A pass as a phone holds it: checked and unpacked. */
export type Bundle = {
  readonly pass: PassJson;
  readonly passTypeIdentifier: string;
  readonly serialNumber: string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly signer: Signer;
};

export const STYLES = [
  "posterGeneric",
  "boardingPass",
  "coupon",
  "eventTicket",
  "generic",
  "storeCard",
] as const;
export type Style = (typeof STYLES)[number];

const REQUIRED = [
  "passTypeIdentifier",
  "serialNumber",
  "teamIdentifier",
  "organizationName",
  "description",
];
const UNLISTED = new Set(["manifest.json", "signature"]);
const TOKEN_CHARS_MIN = 16;

/** Opens a .pkpass file; throws a sentence that says why a phone would not take it. */
export function openBundle(archive: Buffer): Bundle {
  const files = readZip(archive);
  const manifestBytes = fileOf(files, "manifest.json");
  checkManifest(files, readJson("manifest.json", manifestBytes));
  const signer = checkSignature(fileOf(files, "signature"), manifestBytes);
  const pass = readJson("pass.json", fileOf(files, "pass.json"));
  checkPass(pass, signer);
  if (!files.has("icon.png") && !files.has("icon@2x.png")) throw new Error("icon.png is missing.");
  return {
    pass,
    passTypeIdentifier: String(pass.passTypeIdentifier),
    serialNumber: String(pass.serialNumber),
    files,
    signer,
  };
}

function fileOf(files: ReadonlyMap<string, Buffer>, name: string): Buffer {
  const file = files.get(name);
  if (file === undefined) throw new Error(`${name} is missing.`);
  return file;
}

function readJson(name: string, bytes: Buffer): PassJson {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (typeof value === "object" && value !== null) return value as PassJson;
  } catch {
    // Told below.
  }
  throw new Error(`${name} is not a JSON object.`);
}

function checkManifest(files: ReadonlyMap<string, Buffer>, manifest: PassJson): void {
  for (const [name, bytes] of files) {
    if (UNLISTED.has(name)) continue;
    const hash = createHash("sha1").update(bytes).digest("hex");
    if (manifest[name] !== hash) throw new Error(`${name} is not as the manifest says.`);
  }
  for (const name of Object.keys(manifest)) {
    if (!files.has(name)) throw new Error(`${name} stands in the manifest and is missing.`);
  }
}

function checkPass(pass: PassJson, signer: Signer): void {
  if (pass.formatVersion !== 1) throw new Error("formatVersion is not 1.");
  for (const name of REQUIRED) {
    if (typeof pass[name] !== "string" || pass[name] === "") throw new Error(`${name} is missing.`);
  }
  if (styleOf(pass) === undefined) throw new Error("pass.json has no style.");
  if (signer.passTypeIdentifier !== pass.passTypeIdentifier) {
    throw new Error("The certificate is of another pass type.");
  }
  if (signer.teamIdentifier !== pass.teamIdentifier) {
    throw new Error("The certificate is of another team.");
  }
  const { webServiceURL, authenticationToken } = pass;
  if ((webServiceURL === undefined) !== (authenticationToken === undefined)) {
    throw new Error("webServiceURL and authenticationToken only go together.");
  }
  if (authenticationToken !== undefined && String(authenticationToken).length < TOKEN_CHARS_MIN) {
    throw new Error("authenticationToken is too short.");
  }
  requireService(pass);
  requirePassJson(pass);
}

export function styleOf(pass: PassJson): Style | undefined {
  return STYLES.find((style) => typeof pass[style] === "object" && pass[style] !== null);
}

/** The texts in the language of the phone; empty if the pass does not speak it. */
export function stringsFor({ files }: Bundle, language: string, table = "pass"): Strings {
  const [main = language] = language.split("-");
  // A phone that is set to Chinese goes by the script.
  const script = main === "zh" ? [`zh-${new Intl.Locale(language).maximize().script}`] : [];
  for (const folder of [language, ...script, main]) {
    const file = files.get(`${folder}.lproj/${table}.strings`);
    if (file !== undefined) return readStrings(file);
  }
  return new Map();
}

/** The picture in the best scale, at the root or in the folder of the language. */
export function imageOf({ files }: Bundle, name: string, language: string): Buffer | undefined {
  for (const folder of ["", `${language}.lproj/`]) {
    for (const scale of ["@3x", "@2x", ""]) {
      const file = files.get(`${folder}${name}${scale}.png`);
      if (file !== undefined) return file;
    }
  }
  return undefined;
}
