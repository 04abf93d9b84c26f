import { hash } from "node:crypto";
import { isStorableText } from "#kernel/http/lists/list-values.ts";
import { isObject } from "#kernel/json.ts";
import type { Pass, PassType } from "#src/passes/public.ts";
import type { LocalizedPass } from "#src/templates/public.ts";
import { inputOf } from "../content.input.ts";

/** In Unicode characters. What is shorter or longer cannot be scanned. */
export const CODE_LENGTH_MIN = 3;
export const CODE_LENGTH_MAX = 2_048;

const NONE: readonly string[] = [];

/**
 * The codes of a pass by its template, as the full rendering would give them; undefined if only the
 * full rendering can tell.
 */
export function codesBy(type: PassType, pass: Pass): readonly string[] | undefined {
  if (type.published.codeTexts.length === 0) return NONE;
  return type.published.codesOf({ ...inputOf(pass, type.tenant), privileges: {} });
}

/** The codes of a rendered pass: of its barcode, and of barcodes that layouts lay over it. */
export function codesIn({ main, others }: LocalizedPass): readonly string[] {
  const codes = [main, ...others].flatMap(({ barcode, layouts: { apple, googleObject } }) => [
    barcode?.message,
    memberOf(apple?.barcode, "message"),
    ...(Array.isArray(apple?.barcodes) ? apple.barcodes : []).map((item) =>
      memberOf(item, "message"),
    ),
    memberOf(googleObject?.barcode, "value"),
  ]);
  return codes.filter((code) => typeof code === "string");
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

/**
 * The codes that must be remembered. The id of the pass needs no row: it is found by the pass
 * itself.
 */
export function worthNoting(passId: string, codes: readonly string[]): string[] {
  const wanted = codes.filter((code) => code !== passId && isScannable(code));
  return wanted.length < 2 ? wanted : [...new Set(wanted)];
}

function isScannable(code: string): boolean {
  if (code.length < CODE_LENGTH_MIN || code.length > 2 * CODE_LENGTH_MAX) return false;
  if (!isStorableText(code)) return false;
  const length = code.length <= CODE_LENGTH_MAX ? code.length : [...code].length;
  return length <= CODE_LENGTH_MAX;
}

/** Two rules with the same fingerprint give a pass the same codes. */
export function fingerprintOf({ published, tenant }: PassType): string {
  const rule = JSON.stringify([published.codeTexts, tenant]);
  return hash("sha256", rule, "base64url").slice(0, 22);
}
