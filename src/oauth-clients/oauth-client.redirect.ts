export const REDIRECT_URI_CHARACTERS_MAX = 2_000;

/** Checks the text, because the URL parser accepts missing slashes and `127.1` as loopback. */
const SAFE_BEGINNING = /^(https:\/\/[^/\\?#]|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/?#]|$))/i;
const USER = /^[^/]*\/\/[^/\\?#]*@/;

/**
 * Returns why a redirect address is refused, or undefined if it is accepted. Tokens and codes are
 * sent to this address, so it must use https or be on the computer of the person.
 */
export function redirectUriProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "must be a whole address, such as https://app.example/callback";
  if (!SAFE_BEGINNING.test(text)) {
    return "must begin with https:// and a host, or with http:// where the host is localhost, 127.0.0.1 or [::1]";
  }
  if (text.includes("#")) return "must have no fragment: that is where tokens are put";
  if (USER.test(text)) return "must have no user name and no password";
  // Browsers change these characters, so the address would not be equal to the registered one.
  if (/[\s\\*]/.test(text))
    return "must have no space, no backslash and no *: it is compared exactly";
  // `https://app.example` is accepted too, although its normal form ends in a slash.
  if (url.href === text || url.href === `${text}/`) return undefined;
  const { href } = url;
  return `must be in the normal form of addresses, in which people are sent there${
    href.length <= REDIRECT_URI_CHARACTERS_MAX ? `: ${href}` : ""
  }`;
}
