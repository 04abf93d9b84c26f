import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import yauzl from "yauzl";
import { requireSignature, run } from "./detached-signature.ts";

/*
 * The rules of Apple Wallet for a bundle, written down once more from its documentation. Nothing here is
 * shared with what makes the bundles.
 */

export type OpenBundle = {
  readonly files: ReadonlyMap<string, Buffer>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of it.
  readonly json: any;
};

/** By yauzl, which also checks every checksum; and by `unzip`, where the machine has it. */
export async function openBundle(bytes: Buffer): Promise<OpenBundle> {
  const files = await unzip(bytes);
  const json = JSON.parse(String(files.get("pass.json") ?? "null"));
  return { files, json };
}

export async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(bytes, { strictFileNames: true });
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const stream = await zip.openReadStreamPromise(entry);
    const pieces: Buffer[] = [];
    for await (const piece of stream) pieces.push(piece);
    if (files.has(entry.fileName)) throw new Error(`${entry.fileName} is there twice.`);
    files.set(entry.fileName, Buffer.concat(pieces));
  }
  const folder = await mkdtemp(join(tmpdir(), "billfold-zip-"));
  try {
    await writeFile(join(folder, "bundle.zip"), bytes);
    await run("unzip", ["-tqq", join(folder, "bundle.zip")]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return files;
}

const UNLISTED = ["manifest.json", "signature"];

/** Everything that Apple Wallet would hold against the bundle. */
export async function bundleProblems(
  { files, json }: OpenBundle,
  rootPem: string,
): Promise<string[]> {
  const problems = [...manifestProblems(files), ...contentProblems(json), ...stringProblems(files)];
  problems.push(...enrolmentProblems(files, json));
  problems.push(...(await pictureProblems(files, json)));
  const [manifest, signature] = [files.get("manifest.json"), files.get("signature")];
  if (manifest === undefined || signature === undefined) return [...problems, "it is not signed"];
  const { certificates } = await requireSignature(signature, manifest, rootPem);
  const subjects = certificates.map(({ subject }) => subject.split("\n"));
  const leaf = subjects.find((lines) => lines.includes(`UID=${json.passTypeIdentifier}`));
  if (leaf === undefined) problems.push("the certificate is for another pass type");
  if (!leaf?.includes(`OU=${json.teamIdentifier}`)) problems.push("the team is another");
  return problems;
}

function manifestProblems(files: ReadonlyMap<string, Buffer>): string[] {
  const manifest: Record<string, string> = JSON.parse(String(files.get("manifest.json")));
  const there = [...files.keys()].filter((name) => !UNLISTED.includes(name)).sort();
  const problems: string[] = [];
  if (Object.keys(manifest).sort().join() !== there.join()) problems.push("manifest: other files");
  for (const [name, sum] of Object.entries(manifest)) {
    const content = files.get(name) ?? "";
    if (createHash("sha1").update(content).digest("hex") !== sum)
      problems.push(`manifest: ${name}`);
  }
  return problems;
}

const STYLES = ["boardingPass", "coupon", "eventTicket", "generic", "storeCard"];
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const COLOR = /^rgb\(\d{1,3}, \d{1,3}, \d{1,3}\)$/;
const FORMATS = ["QR", "PDF417", "Aztec", "Code128"].map((name) => `PKBarcodeFormat${name}`);
const TRANSIT = ["Air", "Boat", "Bus", "Generic", "Train"].map((name) => `PKTransitType${name}`);
const REQUIRED = [
  ...["passTypeIdentifier", "serialNumber", "teamIdentifier", "organizationName", "description"],
];

function contentProblems(json: OpenBundle["json"]): string[] {
  const problems: string[] = [];
  const expect = (isRight: boolean, problem: string) => {
    if (!isRight) problems.push(problem);
  };
  expect(json.formatVersion === 1, "formatVersion");
  for (const name of REQUIRED) expect(typeof json[name] === "string" && json[name] !== "", name);
  const styles = STYLES.filter((style) => style in json);
  expect(styles.length === 1, "exactly one style");
  const style = json[styles[0] ?? ""] ?? {};
  expect(styles[0] !== "boardingPass" || TRANSIT.includes(style.transitType), "transitType");
  expect((json.webServiceURL === undefined) === (json.authenticationToken === undefined), "both");
  expect((json.authenticationToken ?? "x".repeat(16)).length >= 16, "authenticationToken");
  for (const name of ["backgroundColor", "foregroundColor", "labelColor"]) {
    expect(json[name] === undefined || COLOR.test(json[name]), name);
  }
  for (const name of ["expirationDate", "relevantDate"]) {
    expect(json[name] === undefined || DATE.test(json[name]), name);
  }
  for (const { format, message, messageEncoding } of json.barcodes ?? []) {
    expect(FORMATS.includes(format), `barcode ${format}`);
    expect(typeof message === "string" && typeof messageEncoding === "string", "barcode");
  }
  expect((json.locations ?? []).length <= 10, "at most ten locations");
  problems.push(...beaconProblems(json.beacons ?? []), ...nfcProblems(json.nfc));
  problems.push(...richStyleProblems(json));
  const canGroup = ["boardingPass", "eventTicket"].includes(styles[0] ?? "");
  expect(json.groupingIdentifier === undefined || canGroup, "groupingIdentifier");
  return [...problems, ...fieldProblems(style, styles[0] ?? "")];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function beaconProblems(beacons: readonly OpenBundle["json"][]): string[] {
  const problems = beacons.length > 10 ? ["at most ten beacons"] : [];
  for (const { proximityUUID, major, minor, relevantText } of beacons) {
    if (!UUID.test(proximityUUID)) problems.push("proximityUUID");
    for (const number of [major, minor]) {
      const fits = Number.isInteger(number) && number >= 0 && number <= 0xffff;
      if (number !== undefined && !fits) problems.push("major or minor");
    }
    if (relevantText !== undefined && typeof relevantText !== "string")
      problems.push("beacon text");
  }
  return problems;
}

function nfcProblems(nfc: OpenBundle["json"]): string[] {
  if (nfc === undefined) return [];
  const problems: string[] = [];
  const size = new TextEncoder().encode(nfc.message ?? "").length;
  if (typeof nfc.message !== "string" || size === 0 || size > 64) problems.push("nfc.message");
  const key = Buffer.from(String(nfc.encryptionPublicKey), "base64");
  const parity = key.at(26);
  if (key.length !== 59 || (parity !== 2 && parity !== 3)) problems.push("nfc key");
  const needed = nfc.requiresAuthentication;
  if (needed !== undefined && typeof needed !== "boolean") problems.push("requiresAuthentication");
  return problems;
}

const POSTER = "eventName venueName venueRegionName venueRoom";
const MORE: Readonly<Record<string, string>> = {
  PKEventTypeSports: "homeTeamAbbreviation awayTeamAbbreviation",
  PKEventTypeLivePerformance: "performerNames",
};
const BOARDING =
  "airlineCode flightNumber departureAirportCode departureCityName departureLocationTimeZone " +
  "destinationAirportCode destinationCityName destinationLocationTimeZone originalArrivalDate " +
  "originalBoardingDate originalDepartureDate passengerName";

/** A pass that asks for a richer style has every tag of it, and the classic style too. */
function richStyleProblems(json: OpenBundle["json"]): string[] {
  const problems: string[] = [];
  const tags = json.semantics ?? {};
  const [rich, classic] = json.preferredStyleSchemes ?? [];
  const needed: Readonly<Record<string, string>> = {
    posterEventTicket: `${POSTER} ${MORE[tags.eventType] ?? ""}`.trim(),
    semanticBoardingPass: BOARDING,
  };
  if (rich !== undefined) {
    for (const tag of (needed[rich] ?? "unknown").split(" ")) {
      if (tags[tag] === undefined || tags[tag] === "") problems.push(`${rich}: ${tag}`);
    }
    if (!(classic in json)) problems.push(`${rich}: no ${classic}`);
  }
  if (rich === "posterEventTicket" && json.nfc?.requiresAuthentication === undefined) {
    problems.push("posterEventTicket: nfc");
  }
  if (rich === "semanticBoardingPass" && json.boardingPass.transitType !== "PKTransitTypeAir") {
    problems.push("semanticBoardingPass: not a flight");
  }
  const { headerFields = [], primaryFields = [], footerFields = [] } = json.posterGeneric ?? {};
  const isRoomy = headerFields.length <= 1 && primaryFields.length <= 4 && footerFields.length <= 2;
  if (!isRoomy) problems.push("posterGeneric: too many fields");
  return problems;
}

const FRONT_MAX: Readonly<Record<string, number>> = { headerFields: 3, primaryFields: 1 };

function fieldProblems(style: OpenBundle["json"], name: string): string[] {
  const problems: string[] = [];
  const groups = Object.entries(style).filter(([group]) => group.endsWith("Fields"));
  const keys = groups.flatMap(([, fields]) => (fields as { key: string }[]).map(({ key }) => key));
  if (new Set(keys).size !== keys.length) problems.push("two fields have the same key");
  for (const [group, fields] of groups as [string, Record<string, unknown>[]][]) {
    const most = name === "boardingPass" && group === "primaryFields" ? 2 : FRONT_MAX[group];
    if (fields.length > (most ?? 50)) problems.push(`too many ${group}`);
    for (const field of fields) {
      const { key, value, changeMessage, dateStyle, numberStyle, currencyCode } = field;
      if (typeof key !== "string" || key === "") problems.push(`${group}: a field without key`);
      if (!["string", "number"].includes(typeof value)) problems.push(`${String(key)}: value`);
      if (changeMessage !== undefined && !String(changeMessage).includes("%@")) {
        problems.push(`${String(key)}: changeMessage`);
      }
      if (dateStyle !== undefined && !DATE.test(String(value))) problems.push(`${key}: date`);
      const isNumber = numberStyle !== undefined || currencyCode !== undefined;
      if (isNumber && typeof value !== "number") problems.push(`${String(key)}: number`);
    }
  }
  return problems;
}

/** Width and height in points: at most these, or exactly these. */
const PICTURES: Readonly<Record<string, readonly [number, number, "most" | "exact"]>> = {
  icon: [38, 38, "exact"],
  logo: [160, 50, "most"],
  strip: [375, 144, "exact"],
  thumbnail: [90, 90, "most"],
  background: [345, 505, "exact"],
  footer: [286, 15, "most"],
  personalizationLogo: [150, 40, "exact"],
  artwork: [358, 448, "exact"],
  primaryLogo: [126, 30, "most"],
  secondaryLogo: [135, 12, "most"],
};
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  strip: ["coupon", "storeCard", "eventTicket"],
  thumbnail: ["generic", "eventTicket"],
  background: ["eventTicket"],
  footer: ["boardingPass"],
  personalizationLogo: ["storeCard"],
  artwork: ["eventTicket", "storeCard", "coupon", "generic"],
  secondaryLogo: ["eventTicket"],
};

async function pictureProblems(
  files: ReadonlyMap<string, Buffer>,
  json: OpenBundle["json"],
): Promise<string[]> {
  const problems: string[] = [];
  const [style = ""] = STYLES.filter((each) => each in json);
  const others =
    /^((pass|manifest|personalization)\.json|signature|[A-Za-z-]+\.lproj\/(pass|personalization)\.strings)$/;
  for (const [path, content] of files) {
    if (others.test(path)) continue;
    const [, name = "", scale = "1"] = /^([a-zA-Z]+)(?:@([23])x)?\.png$/.exec(path) ?? [];
    const rule = PICTURES[name];
    if (rule === undefined) {
      problems.push(`${path} does not belong there`);
      continue;
    }
    const [width, height, how] = rule;
    const size = await sharp(content).metadata();
    const fits = (is: number, asked: number) =>
      how === "exact" ? is === asked * Number(scale) : is <= asked * Number(scale);
    if (size.format !== "png") problems.push(`${path} is no PNG`);
    if (!fits(size.width, width) || !fits(size.height, height)) problems.push(`${path}: size`);
    if (SHOWN[name]?.includes(style) === false) problems.push(`${path} is not shown on ${style}`);
  }
  for (const name of ["icon.png", "icon@2x.png", "icon@3x.png"]) {
    if (!files.has(name)) problems.push(`${name} is missing`);
  }
  const isPoster = json.preferredStyleSchemes?.[0] === "posterEventTicket";
  if (
    (isPoster && !files.has("artwork.png") && !files.has("background.png")) ||
    ("posterGeneric" in json && !files.has("artwork.png"))
  ) {
    problems.push("a poster without its picture");
  }
  if (files.has("strip.png") && (files.has("background.png") || files.has("thumbnail.png"))) {
    problems.push("a strip beside a background or thumbnail");
  }
  return problems;
}

const QUESTIONS = ["Name", "PostalCode", "EmailAddress", "PhoneNumber"];

/** The questions to the holder: only on store cards with NFC, and never without their picture. */
function enrolmentProblems(files: ReadonlyMap<string, Buffer>, json: OpenBundle["json"]): string[] {
  const text = files.get("personalization.json");
  const parts = [...files.keys()].filter((name) => name.includes("personalization"));
  if (text === undefined)
    return parts.length === 0 ? [] : ["questions without personalization.json"];
  const { description, requiredPersonalizationFields: asked, ...more } = JSON.parse(String(text));
  const names = QUESTIONS.map((name) => `PKPassPersonalizationField${name}`);
  const problems: string[] = [];
  if (typeof json.nfc?.message !== "string") problems.push("questions without NFC");
  if (json.storeCard === undefined) problems.push("questions on another style");
  if (typeof description !== "string" || description === "") problems.push("no description");
  if (!Array.isArray(asked) || asked.length === 0) problems.push("no questions");
  else if (!asked.every((name) => names.includes(name))) problems.push("an unknown question");
  if (Object.keys(more).some((name) => name !== "termsAndConditions"))
    problems.push("more members");
  if (!files.has("personalizationLogo@2x.png")) problems.push("no personalizationLogo@2x.png");
  return problems;
}

/** The texts by language and key, as the phone reads them. */
export function stringsOf(
  files: ReadonlyMap<string, Buffer>,
): Record<string, Record<string, string>> {
  const tables: Record<string, Record<string, string>> = {};
  for (const [path, content] of files) {
    const [, language] = /^(.+)\.lproj\/pass\.strings$/.exec(path) ?? [];
    if (language === undefined) continue;
    const lines = [
      ...content.toString("utf8").matchAll(/^("(?:[^"\\]|\\.)*") = ("(?:[^"\\]|\\.)*");$/gm),
    ];
    tables[language] = Object.fromEntries(
      lines.map(([, key = "", value = ""]) => [JSON.parse(key), JSON.parse(value)]),
    );
  }
  return tables;
}

function stringProblems(files: ReadonlyMap<string, Buffer>): string[] {
  const keys = Object.values(stringsOf(files)).map((table) => Object.keys(table).sort().join("\n"));
  return new Set(keys).size > 1 ? ["the languages have different keys"] : [];
}
