import { type Document, isMap, isScalar, isSeq, type Scalar, type YAMLParseError } from "yaml";
import { type Finding, type Position, sortFindings } from "../finding.ts";
import {
  YAML_BYTES_MAX,
  yamlAlias,
  yamlCharacter,
  yamlDepth,
  yamlEncoding,
  yamlKey,
  yamlSyntax,
  yamlTag,
  yamlTooLarge,
} from "./findings.ts";
import { parseYaml } from "./parse.ts";
import { scanYaml } from "./scan.ts";
import { decodeUtf8, findNotText, YamlText } from "./text.ts";
import { keyOf, startOf, YamlValues } from "./value.ts";

/** A JSON pointer such as `/fields/0/key`, or its parts. */
export type YamlPath = string | readonly (string | number)[];

/** The plain values of a YAML file, and the position of each value in the text. */
export type YamlFile = {
  readonly value: unknown;
  /** Where a value begins. For a missing value: where its nearest existing parent begins. */
  at(path: YamlPath): Position;
  /** Where the name of a value begins. For an item of a list: where the item begins. */
  keyAt(path: YamlPath): Position;
  /**
   * Where the character at `index` of a text value is written. If the text has escapes or folded
   * lines: where the value begins.
   */
  within(path: YamlPath, index: number): Position;
};

export type YamlReading = {
  readonly file: YamlFile | undefined;
  readonly findings: readonly Finding[];
};

/** Reads an untrusted file. Returns the file, or everything that is wrong with it. Never throws. */
export function readYaml(path: string, bytes: Buffer): YamlReading {
  if (bytes.length > YAML_BYTES_MAX) return refused([yamlTooLarge({ file: path })]);
  const decoding = decodeUtf8(bytes);
  if (!decoding.ok) {
    const { validPrefix } = decoding;
    const position = new YamlText(validPrefix).position(validPrefix.length);
    return refused([yamlEncoding({ file: path, ...position })]);
  }
  const source = new YamlText(decoding.text);
  const place = (offset: number) => ({ file: path, ...source.position(offset) });
  const notText = findNotText(source.text);
  if (notText !== undefined) return refused([yamlCharacter(place(notText.offset), notText)]);
  const scanned = scanYaml(source.text);
  if (scanned.length > 0) {
    return refused(scanned.map(({ offset, finding }) => finding(place(offset))));
  }

  const parsing = parseYaml(source.text);
  if (!parsing.ok) {
    return refused(parsing.errors.map((error) => syntaxFinding(error, place(error.pos[0]))));
  }
  const { document } = parsing;
  const values = new YamlValues(path, source);
  const value = values.valueOf(document.contents);
  if (values.findings.length > 0) return refused(values.findings);
  return { file: yamlFile(document, source, value), findings: [] };
}

function refused(findings: readonly Finding[]): YamlReading {
  return { file: undefined, findings: sortFindings(findings) };
}

type FilePlace = Position & { file: string };

function syntaxFinding(error: YAMLParseError, place: FilePlace): Finding {
  switch (error.code) {
    case "RESOURCE_EXHAUSTION":
      return yamlDepth(place);
    case "NON_STRING_KEY":
      return yamlKey(place, {});
    case "TAG_RESOLVE_FAILED":
    case "MULTIPLE_TAGS":
      return yamlTag(place);
    case "BAD_ALIAS":
    case "ALIAS_PROPS":
    case "MULTIPLE_ANCHORS":
      return yamlAlias(place);
    default:
      return yamlSyntax(place, { problem: sentence(error.message), advice: ADVICE[error.code] });
  }
}

const ADVICE: Partial<Record<YAMLParseError["code"], string>> = {
  TAB_AS_INDENT: "Indent with spaces.",
  BAD_INDENT: "Indent what belongs together by the same number of spaces.",
  BLOCK_AS_IMPLICIT_KEY:
    "Put a value that contains ': ' in quotes, or start it on a line of its own.",
  BAD_SCALAR_START:
    "Put the value in quotes: it starts with a character that means something else.",
  MISSING_CHAR: "Close the quotes or brackets, and put a colon and a space behind each key.",
  MULTILINE_IMPLICIT_KEY: "Put a colon and a space behind each key.",
  BAD_DQ_ESCAPE: "Write \\\\ for a backslash in double quotes, or use single quotes.",
};

function sentence(message: string): string {
  const [line = ""] = message.split("\n");
  return `${line.slice(0, 200)}${line.endsWith(".") ? "" : "."}`;
}

function yamlFile(document: Document, source: YamlText, value: unknown): YamlFile {
  const locate = (path: YamlPath) => {
    let node: unknown = document.contents;
    let start = startOf(node);
    let keyStart = start;
    for (const part of partsOf(path)) {
      const child = childOf(node, part);
      if (child === undefined) return { node: undefined, start, keyStart };
      node = child.node;
      keyStart = child.keyStart;
      start = node === null ? keyStart : startOf(node);
    }
    return { node, start, keyStart };
  };
  return {
    value,
    at: (path) => source.position(locate(path).start),
    keyAt: (path) => source.position(locate(path).keyStart),
    within(path, index) {
      const { node, start } = locate(path);
      if (!isScalar(node)) return source.position(start);
      return source.position(offsetWithin(node, source.text, index) ?? start);
    },
  };
}

function partsOf(path: YamlPath): readonly (string | number)[] {
  if (typeof path !== "string") return path;
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function childOf(
  node: unknown,
  part: string | number,
): { node: unknown; keyStart: number } | undefined {
  if (isSeq(node)) {
    const item = /^\d+$/.test(`${part}`) ? node.items[Number(part)] : undefined;
    return item === undefined ? undefined : { node: item, keyStart: startOf(item) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((each) => keyOf(each) === `${part}`);
  return pair === undefined ? undefined : { node: pair.value, keyStart: startOf(pair.key) };
}

/** Undefined if the text is not written as it reads, because of escapes or folded lines. */
function offsetWithin(scalar: Scalar, text: string, index: number): number | undefined {
  const { value } = scalar;
  if (typeof value !== "string") return undefined;
  const read = value.slice(0, Math.max(0, index));
  const start = startOf(scalar);
  if (scalar.type !== "BLOCK_LITERAL") {
    const first = scalar.type === "PLAIN" ? start : start + 1;
    return text.startsWith(read, first) ? first + read.length : undefined;
  }
  const lines = read.split("\n");
  const [head = "", ...written] = text.slice(start, scalar.range?.[1]).split("\n");
  const line = written[lines.length - 1] ?? "";
  const indent = indentOf(value, written);
  const before = written.slice(0, lines.length - 1);
  const lineStart = [head, ...before].reduce((at, each) => at + each.length + 1, start);
  const column = lines.at(-1)?.length ?? 0;
  return lineStart + Math.min(indent + column, line.length);
}

/** The indentation of a block, measured at its first line that is not empty. */
function indentOf(value: string, written: readonly string[]): number {
  const at = value.split("\n").findIndex((line) => line !== "");
  const line = written[at] ?? "";
  const content = value.split("\n")[at] ?? "";
  return Math.max(0, line.replace(/\r$/, "").length - content.length);
}
