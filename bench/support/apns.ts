import { createServer, type ServerResponse } from "node:http";
import { ApnsServer } from "#src/simulator/apns/apns.server.ts";
import { makeAuthority } from "#src/simulator/certificates/authority.ts";

/*
 * The simulator of Apple's push service, in a process of its own: HTTP/2 over TLS, with the
 * certificate of the client. A door beside it tells where it is, and how many pushes it has accepted.
 */

let count = 0;
/** Requests that are answered when the count has been reached: asking again and again costs time. */
const awaited: { readonly count: number; readonly response: ServerResponse }[] = [];

const authority = makeAuthority();
const apns = new ApnsServer({
  authority,
  tokens: { isBad: () => false, goneAt: () => undefined },
  onPush() {
    count += 1;
    while ((awaited[0]?.count ?? count + 1) <= count) awaited.shift()?.response.end();
  },
});
await apns.open();

createServer(({ url = "/" }, response) => {
  if (url === "/about") {
    response.end(JSON.stringify({ url: apns.url, authorityPem: authority.certificatePem }));
  } else if (url === "/count") response.end(String(count));
  else if (url.startsWith("/reached/")) tellWhenReached(Number(url.slice(9)), response);
  else response.end("ready");
}).listen(Number(process.env.PORT), "127.0.0.1");

function tellWhenReached(wanted: number, response: ServerResponse): void {
  if (wanted <= count) {
    response.end();
    return;
  }
  awaited.push({ count: wanted, response });
  awaited.sort((left, right) => left.count - right.count);
}

process.once("SIGTERM", () => process.exit(0));
