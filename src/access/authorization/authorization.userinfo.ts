import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Runtime } from "#kernel/runtime.ts";
import { TokenRefused } from "../bearer/bearer.token.ts";
import { createAccountFinder, tokenRefused } from "../bearer/bearer.ts";
import { roleClaims } from "./authorization.provider.ts";

const BEARER = /^Bearer ([\w.~+/-]+=*)$/i;

/**
 * Answers who is signed in. The library accepts only tokens without an audience here. Our tokens
 * are for the API, and clients should not need a second token.
 */
export function addUserInfo(app: FastifyInstance, runtime: Runtime): void {
  const findAccount = createAccountFinder(runtime);

  async function tell(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
    if (token === undefined) throw tokenRefused();
    const { administrator } = await findAccount(token).catch((error: unknown) => {
      throw error instanceof TokenRefused ? tokenRefused() : error;
    });
    const { id, email, name } = administrator;
    return reply
      .headers({
        "content-type": "application/json; charset=utf-8",
        "cache-control": "no-store",
        "x-request-id": request.state.requestId,
      })
      .send(JSON.stringify({ sub: id, email, name, ...roleClaims(administrator) }));
  }

  app.get("/userinfo", tell);
  app.post("/userinfo", tell);
}
