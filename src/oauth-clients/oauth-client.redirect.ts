import { isLoopbackHost } from "#kernel/loopback.ts";

export const REDIRECT_URI_CHARACTERS_MAX = 2_000;

/**
 * What is wrong with an address that people are sent back to; undefined when nothing is. Tokens and
 * codes travel with them, so the way there is protected, or does not leave their own computer.
 */
export function redirectUriProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "must be a whole address, such as https://app.example/callback";
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname))) {
    return "must begin with https://, or with http:// where the host is localhost, 127.0.0.1 or [::1]";
  }
  if (text.includes("#")) return "must have no fragment: that is where tokens are put";
  if (url.username !== "" || url.password !== "") return "must have no user name and no password";
  // Browsers forgive these, and what comes back would then not be what was registered.
  if (/[\s\\*]/.test(text))
    return "must have no space, no backslash and no *: it is compared exactly";
  return undefined;
}
