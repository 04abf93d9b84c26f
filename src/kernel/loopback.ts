/**
 * Whether a host as the URL parser writes it is the computer itself: what is sent there does not
 * leave it. The parser has brought every spelling of an IPv4 address into one.
 */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
