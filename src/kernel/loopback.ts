/**
 * Whether a host name, as the URL parser writes it, is this computer: what is sent there does not
 * leave it. The parser has already normalised all spellings of an IPv4 address.
 */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
