/**
 * The address under which the public pages of a tenant are given out, without a trailing slash. A
 * tenant's own domain leads to the same listener, so it has the protocol and the port of the
 * installation. Proxies answer for the whole domain: a prefix of the installation is not added.
 */
export function publicAddress(baseUrl: string, customDomain: string | undefined): string {
  if (customDomain === undefined) return baseUrl;
  const { protocol, port } = new URL(baseUrl);
  return `${protocol}//${customDomain}${port === "" ? "" : `:${port}`}`;
}
