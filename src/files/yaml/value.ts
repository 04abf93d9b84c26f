import { isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from "yaml";
import type { Finding, Position } from "../finding.ts";
import {
  YAML_DEPTH_MAX,
  yamlCharacter,
  yamlDepth,
  yamlDuplicateKey,
  yamlKey,
  yamlNumber,
} from "./findings.ts";
import { findNotText, type YamlText } from "./text.ts";

/** More findings would not help the author, and would make the answer longer. */
const PROBLEMS_MAX = 20;

/** Converts the nodes of a document to plain values, and collects findings about the others. */
export class YamlValues {
  readonly findings: Finding[] = [];
  readonly #file: string;
  readonly #source: YamlText;

  constructor(file: string, source: YamlText) {
    this.#file = file;
    this.#source = source;
  }

  valueOf(node: unknown, depth = 0): unknown {
    if (this.findings.length >= PROBLEMS_MAX) return null;
    if (depth > YAML_DEPTH_MAX) {
      this.findings.push(yamlDepth(this.#place(node)));
      return null;
    }
    if (isMap(node)) return this.#mapOf(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.valueOf(item, depth + 1));
    return isScalar(node) ? this.#scalarOf(node) : null;
  }

  #mapOf(map: YAMLMap, depth: number): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    const lines = new Map<string, number>();
    for (const pair of map.items) {
      const place = this.#place(pair.key ?? pair.value ?? map);
      const key = keyOf(pair);
      if (key === undefined || key === "__proto__" || findNotText(key) !== undefined) {
        this.#note(yamlKey(place, { key: key?.toWellFormed() }));
        continue;
      }
      const firstLine = lines.get(key);
      if (firstLine !== undefined) this.#note(yamlDuplicateKey(place, { key, firstLine }));
      else lines.set(key, place.line);
      value[key] = this.valueOf(pair.value, depth + 1);
    }
    return value;
  }

  #scalarOf(scalar: Scalar): unknown {
    const { value } = scalar;
    if (typeof value === "string") {
      const found = findNotText(value);
      if (found !== undefined) this.#note(yamlCharacter(this.#place(scalar), found));
      return value;
    }
    if (typeof value === "number" && !isKeptExactly(value, scalar.source ?? "")) {
      const source = (scalar.source ?? `${value}`).slice(0, 40);
      this.#note(yamlNumber(this.#place(scalar), { source }));
    }
    return value ?? null;
  }

  #note(finding: Finding): void {
    if (this.findings.length < PROBLEMS_MAX) this.findings.push(finding);
  }

  #place(node: unknown): Position & { file: string } {
    return { file: this.#file, ...this.#source.position(startOf(node)) };
  }
}

/** Without this check, long identifiers without quotes would lose their last digits. */
function isKeptExactly(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  const writtenAsInteger = /^[-+]?(0x[0-9a-f]+|0o[0-7]+|[0-9]+)$/i.test(source);
  return !writtenAsInteger || Number.isSafeInteger(value);
}

/** Undefined for a key that is missing or not a text. */
export function keyOf({ key }: Pair): string | undefined {
  if (!isScalar(key) || typeof key.value !== "string") return undefined;
  return key.value === "" && key.type === "PLAIN" ? undefined : key.value;
}

export function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}
