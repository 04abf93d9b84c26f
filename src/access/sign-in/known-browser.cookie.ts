import { hash } from "node:crypto";
import type { KoaContextWithOIDC } from "oidc-provider";

const NAME_PREFIX = "billfold_known_";
const COOKIE = /^(billfold_known_[\w-]{16})=(.*)$/;
const TOKEN_SHAPE = /^[\w-]{43}$/;
/** A browser is known at so many accounts; the one that was added first is forgotten. */
const ACCOUNTS_MAX = 10;
/** More cookies than a browser gets: sign-in links add one without seeing the others. */
const COOKIES_READ_MAX = 2 * ACCOUNTS_MAX;

export const KNOWN_DAYS = 180;

/** What a browser gets after a sign-in. It is of use at this account alone, and no credential. */
export type BrowserToken = { readonly administratorId: string; readonly token: string };

type Cookies = KoaContextWithOIDC["cookies"];

/** The tokens that a browser sent. Anything else than a token is as no cookie. */
export function readBrowserTokens(header: string | undefined): string[] {
  const tokens = cookiesOf(header).flatMap(({ value }) => (TOKEN_SHAPE.test(value) ? [value] : []));
  return tokens.slice(-COOKIES_READ_MAX);
}

/**
 * One cookie per account, because a sign-in link is at a path that does not get these cookies and
 * could not add to a common one. The name contains a hash, so that nobody reads ids in a browser.
 */
export function setBrowserToken(
  cookies: Cookies,
  path: string,
  header: string | undefined,
  { administratorId, token }: BrowserToken,
): void {
  const own = NAME_PREFIX + hash("sha256", administratorId, "base64url").slice(0, 16);
  const options = {
    httpOnly: true,
    // The form is sent from a page of this server, so a link from another site needs no cookie.
    sameSite: "strict",
    path,
    signed: false,
  } as const;
  // Browsers send the cookies of one path in the order in which they were created.
  const others = cookiesOf(header).filter(({ name }) => name !== own);
  const tooMany = Math.max(0, others.length + 1 - ACCOUNTS_MAX);
  for (const { name } of others.slice(0, Math.min(tooMany, COOKIES_READ_MAX))) {
    cookies.set(name, null, options);
  }
  cookies.set(own, token, { ...options, maxAge: KNOWN_DAYS * 86_400_000 });
}

function cookiesOf(header = ""): { name: string; value: string }[] {
  return header.split(";").flatMap((pair) => {
    const [, name, value] = COOKIE.exec(pair.trim()) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
}
