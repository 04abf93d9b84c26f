import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ProblemError } from "#kernel/errors.ts";
import { wantedLanguages } from "#kernel/http/accept-language.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { AddressCounter } from "#src/access/public.ts";
import { messagePage, type Page, receiptPage } from "./page.html.ts";
import { findLogo, findVisit, openReceipt, tongueOf, type Visit } from "./page.service.ts";
import { WORDS, type Words } from "./page.words.ts";

type Link = { Params: { tenantId: string; link: string } };
type LinkRequest = FastifyRequest<Link>;

/**
 * Wrong addresses of one network and minute. People mistype few of them; visitors with a right one
 * are never counted, because a whole shop may come by one address.
 */
const MISSES_PER_MINUTE_MAX = 60;
const missesIn = perRuntime(
  () => new AddressCounter(MISSES_PER_MINUTE_MAX, () => performance.now()),
);

/** Adds the public pages of receipts. They need no credential: the address contains the secret. */
export function plugReceiptPage(app: FastifyInstance, runtime: Runtime): void {
  const config = { op: "receipt.open" };
  const path = "/p/:tenantId/receipts/:link";
  app.get<Link>(path, { config }, (request, reply) =>
    withVisit(runtime, request, reply, async (visit) => {
      const { link } = request.params;
      return sendPage(reply, 200, receiptPage(await openReceipt(visit, wantedBy(request), link)));
    }),
  );
  app.get<Link>(`${path}/logo.png`, { config }, (request, reply) =>
    withVisit(runtime, request, reply, async (visit) => {
      const logo = await findLogo(visit);
      if (logo === undefined) return showMessage(request, reply, 404, "missing");
      reply.headers({ ...SECURE, "cache-control": "private, max-age=3600" });
      return reply.type("image/png").send(logo.bytes);
    }),
  );
}

/** Shows what the address leads to, or the page that is the same for every wrong address. */
async function withVisit(
  runtime: Runtime,
  request: LinkRequest,
  reply: FastifyReply,
  show: (visit: Visit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const misses = missesIn(runtime);
  const { tenantId, link } = request.params;
  try {
    const visit = await findVisit(runtime, tenantId, link, request.state.requestId);
    if (visit !== undefined) return await show(visit);
    if (misses.isExhausted(request.ip)) {
      reply.header("retry-after", String(misses.secondsLeft(request.ip)));
      return showMessage(request, reply, 429, "busy");
    }
    misses.record(request.ip);
    return showMessage(request, reply, 404, "missing");
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    // For the log, which tells the administrator what the visitor is not told.
    request.state.problem = error;
    reply.headers(error.headers);
    return showMessage(request, reply, error.status, "nowhere");
  }
}

const wantedBy = (request: FastifyRequest) => wantedLanguages(request.headers["accept-language"]);

type MessageName = "missing" | "nowhere" | "busy";

function showMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  name: MessageName,
): FastifyReply {
  const { language } = tongueOf(wantedBy(request));
  const words: Words = WORDS[language];
  return sendPage(
    reply,
    status,
    messagePage(language, words[`${name}Title`], words[`${name}Text`]),
  );
}

const SECURE = {
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "cross-origin-resource-policy": "same-origin",
};

function sendPage(reply: FastifyReply, status: number, { html, style }: Page): FastifyReply {
  return reply
    .code(status)
    .headers({
      ...SECURE,
      "content-security-policy": `default-src 'none'; style-src ${style.hashes.join(" ")}; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "cache-control": "no-store",
      "cross-origin-opener-policy": "same-origin",
      vary: "accept-language",
      "x-frame-options": "DENY",
    })
    .type("text/html; charset=utf-8")
    .send(html);
}
