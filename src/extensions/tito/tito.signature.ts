import type { SignedRequest, Verdict } from "../kit/connector.ts";
import { verifyHmac } from "../kit/signature.ts";
import { parseVendorJson, textAt } from "../kit/values.ts";

/** How Tito signs: each event has a token of its own. */

/** `regatta:token` for the token of one event, `token` for one of all. */
const OF_EVENT = /^([A-Za-z0-9_-]{1,100}):(.+)$/;

/** The tokens that may sign for an event, out of all that are stored. */
export function tokensOf(stored: readonly string[], event: string | undefined): string[] {
  const entries = stored.flatMap((text) => text.split(/[\s,]+/).filter((entry) => entry !== ""));
  return entries.flatMap((entry) => {
    const [, slug, token] = OF_EVENT.exec(entry) ?? [];
    if (slug === undefined || token === undefined) return entry;
    return slug === event ? token : [];
  });
}

/**
 * `Tito-Signature` is the HMAC of the bytes. A newer platform of Tito signs in another way, with another
 * header (`X-Tito-Signature`): what has only that is refused.
 */
export function verifyTito(
  { headers, rawBody }: Pick<SignedRequest, "headers" | "rawBody">,
  stored: readonly string[],
): Verdict {
  // Only to choose the key: nothing of the body is believed before it is verified.
  const event = textAt(parseVendorJson(rawBody), "event.slug");
  return verifyHmac({
    signature: headers["tito-signature"],
    encoding: "base64",
    secrets: tokensOf(stored, event),
    parts: [rawBody],
  });
}
