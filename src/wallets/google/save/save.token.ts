import type { JsonObject } from "#src/templates/language/public.ts";
import { signToken } from "../google.jwt.ts";
import type { GoogleType } from "../google.kinds.ts";
import type { GoogleAccount } from "../google-account.ts";

/** Longer links may be cut by browsers. */
export const TOKEN_LENGTH_MAX = 1_800;

type Signed = Pick<GoogleAccount, "clientEmail" | "keyId" | "key">;

/** A token for an object that Google has already. It does not end, as links are kept for long. */
export function shortToken(
  account: Signed,
  type: GoogleType,
  { id, classId }: { readonly id: string; readonly classId: string },
  now: Date,
): Promise<string> {
  return sign(account, { [`${type}Objects`]: [{ id, classId }] }, now);
}

/**
 * A token that holds the object, and its class unless Google has that, for when Google could not be
 * told of them before. It may be too long for a link.
 */
export async function fullToken(
  account: Signed,
  type: GoogleType,
  { ofClass, object }: { readonly ofClass: JsonObject | undefined; readonly object: JsonObject },
  now: Date,
): Promise<string> {
  const payload = {
    ...(ofClass === undefined ? {} : { [`${type}Classes`]: [briefly(ofClass)] }),
    [`${type}Objects`]: [object],
  };
  return await sign(account, payload, now);
}

/** Without what is long and may come later, when Google can be told of the whole class. */
function briefly({ classTemplateInfo: _rows, heroImage: _hero, ...rest }: JsonObject): JsonObject {
  return rest;
}

function sign(account: Signed, payload: Record<string, unknown>, now: Date): Promise<string> {
  return signToken(account, { audience: "google", claims: { typ: "savetowallet", payload }, now });
}
