import type { Account, Accounts } from "./google.accounts.ts";
import { GoogleError, invalid } from "./google.errors.ts";
import { requireKnown } from "./google.members.ts";
import { collectionOf, GOOGLE_TYPES, issuerOf, type Json } from "./google.resources.ts";
import type { GoogleStore } from "./google.store.ts";

/** What a save link brings to a phone. */
export type SavedObjects = { readonly account: Account; readonly objectIds: readonly string[] };

/** Browsers may cut longer ones off. */
const LINK_TOKEN_MAX = 1_800;
const RESOURCES_MAX = 20;
/** An object of which the link names only these exists already, or cannot be saved. */
const REFERENCE_MEMBERS = new Set(["id", "classId"]);

/** Saves by what stands in a link: a token, or the short name of one that is too long for links. */
export function saveByLink(inLink: string, accounts: Accounts, store: GoogleStore): SavedObjects {
  if (inLink.length > LINK_TOKEN_MAX) {
    throw invalid(`A save link holds a token of at most ${LINK_TOKEN_MAX} characters.`);
  }
  return saveByToken(store.longTokens.read(inLink), accounts, store);
}

/** What stands in the link for a token that was given to the API. */
export function linkTextOf(jwt: string, { longTokens }: GoogleStore): string {
  return jwt.length > LINK_TOKEN_MAX ? longTokens.keep(jwt) : jwt;
}

/**
 * Checks the token of a save link and creates the classes and objects in it that do not exist yet.
 * Those that exist stay as they are.
 */
export function saveByToken(jwt: string, accounts: Accounts, store: GoogleStore): SavedObjects {
  const read = accounts.readSigned(jwt);
  if (typeof read === "string") throw invalid(read);
  const { account, claims } = read;
  if (claims.aud !== "google") throw invalid("The audience of a save link is 'google'.");
  if (claims.typ !== "savetowallet") throw invalid("The type of a save link is 'savetowallet'.");
  if (!account.hasAccess) {
    throw new GoogleError(403, "permissionDenied", "The account has no access to the issuer.");
  }
  const payload = (claims.payload ?? {}) as Json;
  requireKnown("Resources", payload, "payload");
  for (const type of GOOGLE_TYPES) createMissing(`${type}Class`, payload, account, store);
  const objectIds = GOOGLE_TYPES.flatMap((type) =>
    createMissing(`${type}Object`, payload, account, store),
  );
  if (objectIds.length === 0) throw invalid("The link names no object.");
  return { account, objectIds };
}

function createMissing(
  name: string,
  payload: Json,
  account: Account,
  store: GoogleStore,
): string[] {
  const collection = collectionOf(name);
  const sent = payload[name.replace(/Class$/, "Classes").replace(/Object$/, "Objects")];
  if (collection === undefined || !Array.isArray(sent)) return [];
  if (sent.length > RESOURCES_MAX) throw invalid("The link names too many resources.");
  return sent.map((value: Json) => {
    const id = String(value?.id);
    if (issuerOf(id) !== account.issuerId) {
      throw new GoogleError(403, "permissionDenied", `${id} belongs to another issuer.`);
    }
    if (store.find(id) === undefined) {
      const isReference = Object.keys(value).every((member) => REFERENCE_MEMBERS.has(member));
      if (isReference && !collection.isClass) {
        throw new GoogleError(404, "resourceNotFound", `Resource ${id} not found.`);
      }
      store.insert(collection, value);
    }
    return id;
  });
}
