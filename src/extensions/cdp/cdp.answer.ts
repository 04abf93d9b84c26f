import { cut } from "#kernel/excerpt.ts";
import { isObject } from "#kernel/json.ts";
import type { CdpAnswer } from "./cdp.client.ts";

/** What answers of the platform mean. Rules only. */

const TOLD_CHARS_MAX = 200;

export function isSuccess({ status, json }: CdpAnswer): boolean {
  return status === 200 && isObject(json) && json.success === true;
}

/** All messages of an answer or of a part of it: they may be a text, a list, or lists by name. */
export function messagesIn(json: unknown): string {
  if (!isObject(json)) return "";
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (Array.isArray(value)) value.forEach(collect);
    else if (isObject(value)) Object.values(value).forEach(collect);
  };
  for (const member of ["error", "errors", "message"]) collect(json[member]);
  return texts.join("; ");
}

/**
 * What the platform said, for people. Everything that must stay unknown is taken out: a platform may
 * repeat what it was sent.
 */
export function quote(said: string, hidden: readonly string[]): string {
  let text = said;
  for (const value of hidden) if (value.length > 0) text = text.replaceAll(value, "…");
  return cut(text.replace(/[\p{C}\s]+/gu, " ").trim(), TOLD_CHARS_MAX);
}

/** Which setting an answer speaks of; undefined if it speaks of none. */
export function blamedSetting({
  status,
  json,
}: CdpAnswer): "projectToken" | "apiKeyId" | "apiKeySecret" | undefined {
  const said = messagesIn(json).toLowerCase();
  const isTold = isObject(json);
  if (status === 401) return "apiKeyId";
  if (status === 403) return said.includes("permission") ? "apiKeyId" : "apiKeySecret";
  if (status === 400 && isTold) return "projectToken";
  if (status !== 200 || !isTold || json.success !== false) return undefined;
  if (said.includes("secret")) return "apiKeySecret";
  if (said.includes("key")) return "apiKeyId";
  return said.includes("project") || said.includes("authenticate") ? "projectToken" : undefined;
}
