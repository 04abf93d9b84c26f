import { CST, Lexer } from "yaml";
import type { Finding, Place } from "../finding.ts";
import {
  YAML_DEPTH_MAX,
  yamlAlias,
  yamlDepth,
  yamlDirective,
  yamlDocuments,
  yamlSyntax,
  yamlTag,
  yamlTooComplex,
} from "./findings.ts";

/** About 20,000 properties. A file with many tokens takes the parser longer than a large file. */
const TOKEN_COUNT_MAX = 60_000;
const PROBLEMS_MAX = 20;

export type ScanProblem = { readonly offset: number; finding(place: Place): Finding };

const WITHOUT_MEANING: ReadonlySet<string | null> = new Set([
  "space",
  "newline",
  "comment",
  "doc-mode",
  "byte-order-mark",
]);

/** Tokens that do not stand for any character of the text. */
const MARKERS: ReadonlySet<string | null> = new Set(["doc-mode", "scalar", "flow-error-end"]);

/**
 * Checks the tokens in a time that grows only with the length of the text. The parser that runs
 * next would need seconds, or overflow its stack, for a file of many brackets, and it would expand
 * aliases. Such files are refused here.
 */
export function scanYaml(text: string): ScanProblem[] {
  const scanner = new Scanner();
  let inScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (inScalar) {
      inScalar = false;
      scanner.offset += token.length;
      continue;
    }
    const type = CST.tokenType(token);
    inScalar = type === "scalar";
    if (!scanner.take(type)) break;
    if (!MARKERS.has(type)) scanner.offset += token.length;
  }
  return scanner.problems;
}

class Scanner {
  readonly problems: ScanProblem[] = [];
  offset = 0;
  #tokens = 0;
  #started = false;
  #ended = false;
  /** The number of open brackets. */
  #flowDepth = 0;
  /** The number of indicators in a row. Each opens a level without a bracket or a new line. */
  #run = 0;
  #lastMeaning: string | null = null;

  /** Returns false if the scan should stop. */
  take(type: string | null): boolean {
    if (type === "newline") this.#run = 0;
    if (WITHOUT_MEANING.has(type)) return true;
    this.#tokens += 1;
    if (this.#ended || (type === "doc-start" && this.#started)) {
      return this.#stop((place) => yamlDocuments(place));
    }
    if (type === "doc-end") this.#ended = true;
    if (type !== "directive-line") this.#started = true;
    if (this.#tokens > TOKEN_COUNT_MAX) return this.#stop((place) => yamlTooComplex(place));
    const goesOn = this.#judge(type);
    this.#lastMeaning = type;
    return goesOn && this.problems.length < PROBLEMS_MAX;
  }

  #judge(type: string | null): boolean {
    switch (type) {
      case "anchor":
      case "alias":
        return this.#note((place) => yamlAlias(place));
      case "tag":
        return this.#note((place) => yamlTag(place));
      case "directive-line":
        return this.#note((place) => yamlDirective(place));
      case "flow-seq-start":
      case "flow-map-start":
        this.#run = 0;
        this.#flowDepth += 1;
        return this.#flowDepth <= YAML_DEPTH_MAX || this.#stop((place) => yamlDepth(place));
      case "flow-seq-end":
      case "flow-map-end":
        this.#run = 0;
        this.#flowDepth -= 1;
        return (
          this.#flowDepth >= 0 || this.#stop(unexpected("A bracket is closed that none opened."))
        );
      case "comma":
        this.#run = 0;
        return (
          this.#lastMeaning !== "comma" || this.#stop(unexpected("There is a comma too many."))
        );
      case "seq-item-ind":
      case "explicit-key-ind":
      case "map-value-ind":
        this.#run += 1;
        return this.#run <= YAML_DEPTH_MAX || this.#stop((place) => yamlDepth(place));
      default:
        return true;
    }
  }

  #note(finding: (place: Place) => Finding): boolean {
    this.problems.push({ offset: this.offset, finding });
    return true;
  }

  #stop(finding: (place: Place) => Finding): boolean {
    this.#note(finding);
    return false;
  }
}

function unexpected(problem: string): (place: Place) => Finding {
  return (place) => yamlSyntax(place, { problem });
}
