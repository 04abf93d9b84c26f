export const REDIRECT_URI_CHARACTERS_MAX = 2_000;

/** To the letter: the URL parser forgives missing slashes and reads `127.1` as a loopback address. */
const SAFE_BEGINNING = /^(https:\/\/[^/\\?#]|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/?#]|$))/i;
const USER = /^[^/]*\/\/[^/\\?#]*@/;

/**
 * What is wrong with an address that people are sent back to; undefined when nothing is. Tokens and
 * codes travel with them, so the way there is protected, or does not leave their own computer.
 */
export function redirectUriProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "must be a whole address, such as https://app.example/callback";
  if (!SAFE_BEGINNING.test(text)) {
    return "must begin with https:// and a host, or with http:// where the host is localhost, 127.0.0.1 or [::1]";
  }
  if (text.includes("#")) return "must have no fragment: that is where tokens are put";
  if (USER.test(text)) return "must have no user name and no password";
  // Browsers forgive these, and what comes back would then not be what was registered.
  if (/[\s\\*]/.test(text))
    return "must have no space, no backslash and no *: it is compared exactly";
  // Whoever writes `https://app.example` means its first page, and browsers say the origin that way.
  if (url.href === text || url.href === `${text}/`) return undefined;
  const { href } = url;
  return `must be in the normal form of addresses, in which people are sent there${
    href.length <= REDIRECT_URI_CHARACTERS_MAX ? `: ${href}` : ""
  }`;
}
