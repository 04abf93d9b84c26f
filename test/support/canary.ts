import { type AddressInfo, createServer } from "node:net";

/** Every way of writing this machine, and ways of reaching it through other addresses. */
export const HOSTS_OF_THIS_MACHINE = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "017700000001",
  "１２７.０.０.１",
  "0",
  "0.0.0.0",
  "localhost",
  "localhost.",
  "a.localhost",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[::7f00:1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::1]",
  "[2001:0:7f00:1::1]",
  "[2a00::5efe:127.0.0.1]",
  "[::1%25lo]",
  "[fe80::1%25lo]",
  "user:password@127.0.0.1",
  "example.com:443@127.0.0.1",
];

export type Canary = { readonly port: number; visits(): number };

/** Nobody may come by: it counts connections, before a single byte is read. */
export async function startCanary(owner: { after(undo: () => void): void }): Promise<Canary> {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  // Both families where there are two: `::` takes IPv4 as well.
  await new Promise<void>((resolve) => {
    server.once("error", () => server.listen(0, "127.0.0.1"));
    server.once("listening", () => resolve());
    server.listen(0, "::");
  });
  owner.after(() => void server.close());
  return { port: (server.address() as AddressInfo).port, visits: () => visits };
}
