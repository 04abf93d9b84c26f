import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Owner = { after(undo: () => Promise<void>): void };

export type Verified = Readonly<Record<string, string>>;

/** What the vendor answers: JSON, a status of its own, bytes as they are, or nothing at all. */
export type VerifyReply =
  | { readonly json: unknown }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | "hang";

/** The side of a vendor of bot checks: `siteverify` on a real socket, answering as it is told. */
export async function startSiteVerify(owner: Owner) {
  const asked: Verified[] = [];
  let reply: VerifyReply = { json: { success: false, "error-codes": [] } };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      asked.push(Object.fromEntries(form));
      if (reply === "hang") return;
      if ("json" in reply) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(reply.json));
        return;
      }
      response.writeHead(reply.status, reply.headers);
      response.end(reply.body ?? "");
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  owner.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/siteverify`,
    asked,
    answer(how: VerifyReply): void {
      reply = how;
    },
  };
}
