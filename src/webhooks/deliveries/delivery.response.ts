import type { GuardedAnswer } from "#kernel/egress/guarded-exchange.ts";
import type { DeliveryAttempt } from "./delivery.schema.ts";

/** Enough to show what the endpoint reports. */
const BODY_CHARACTERS_MAX = 8_192;
const HEADERS_MAX = 30;
const HEADER_LENGTH_MAX = 500;

/** Headers with secrets, which are not needed to find a mistake. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2", "authorization"]);

export function presentResponse(answer: GuardedAnswer): DeliveryAttempt["response"] {
  if (answer.body.length === 0) {
    return { headers: presentHeaders(answer.headers), body: "", bodyWasCut: answer.bodyWasCut };
  }
  const text = storable(answer.body.toString("utf8", 0, BODY_CHARACTERS_MAX * 4));
  const body = text.slice(0, BODY_CHARACTERS_MAX).toWellFormed();
  const bodyWasCut = answer.bodyWasCut || body.length < text.length;
  return { headers: presentHeaders(answer.headers), body, bodyWasCut };
}

function presentHeaders(headers: GuardedAnswer["headers"]): Record<string, string> {
  const shown: Record<string, string> = {};
  let count = 0;
  for (const name in headers) {
    if (++count > HEADERS_MAX) break;
    const value = headers[name];
    if (value === undefined || SECRET_HEADERS.has(name)) continue;
    shown[storable(name)] = storable(String(value)).slice(0, HEADER_LENGTH_MAX).toWellFormed();
  }
  return shown;
}

/** PostgreSQL can store every character except NUL. */
function storable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}
