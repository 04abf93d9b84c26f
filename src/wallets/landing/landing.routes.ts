import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ProblemError } from "#kernel/errors.ts";
import { chooseLanguage, wantedLanguages } from "#kernel/http/accept-language.ts";
import { findMatch } from "#kernel/http/etag.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { AddressCounter } from "#src/access/public.ts";
import { PKPASS_TYPE } from "../apple/bundle/bundle.service.ts";
import { issueBundle } from "../apple/bundle/bundle-issue.service.ts";
import { googleSaveLinkOf } from "../google/save/save.service.ts";
import { readVisitor } from "./landing.device.ts";
import { landingPage, messagePage, type Page } from "./landing.page.ts";
import { PICTURES } from "./landing.pictures.ts";
import { findPicture, findVisit, obstacleOf, openLanding, type Visit } from "./landing.service.ts";
import { PAGE_LANGUAGES, type PageLanguage, WORDS } from "./landing.words.ts";
import { findOffers } from "./offer.service.ts";

type Link = { Params: { tenantId: string; link: string } };

/**
 * Wrong addresses of one network and minute. People mistype few of them; visitors with a right one
 * are never counted, because a whole concert may come by one address.
 */
const MISSES_PER_MINUTE_MAX = 60;
const missesIn = perRuntime(
  () => new AddressCounter(MISSES_PER_MINUTE_MAX, () => performance.now()),
);

/** Adds the public pages of passes. They need no credential: the address contains the secret. */
export function plugLanding(app: FastifyInstance, runtime: Runtime): void {
  const config = { op: "landing.open" };
  app.get<Link>("/p/:tenantId/:link", { config }, (request, reply) =>
    withVisit(runtime, request, reply, (visit) => showLanding(visit, request, reply)),
  );
  app.get<Link>("/p/:tenantId/:link/pass.pkpass", { config }, (request, reply) =>
    withVisit(runtime, request, reply, (visit) => sendBundle(visit, request, reply)),
  );
  app.get<Link>("/p/:tenantId/:link/google", { config }, (request, reply) =>
    withVisit(runtime, request, reply, (visit) => leadToGoogle(visit, request, reply)),
  );
  for (const picture of PICTURES) {
    app.get<Link>(`/p/:tenantId/:link/${picture}.png`, { config }, (request, reply) =>
      withVisit(runtime, request, reply, async (visit) => {
        const found = await findPicture(visit, picture);
        if (found === undefined) return showMissing(request, reply);
        reply.headers({ ...SECURE, "cache-control": "private, max-age=3600" });
        return reply.type("image/png").send(found.bytes);
      }),
    );
  }
}

function withVisit(
  runtime: Runtime,
  request: FastifyRequest<Link>,
  reply: FastifyReply,
  show: (visit: Visit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { tenantId, link } = request.params;
  const find = () => findVisit(runtime, tenantId, link, request.state.requestId);
  return withFound(runtime, request, reply, find, show);
}

/** Shows what the address leads to, or the page that is the same for every wrong address. */
export async function withFound<Found>(
  runtime: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
  find: () => Promise<Found | undefined>,
  show: (found: Found) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const misses = missesIn(runtime);
  try {
    const found = await find();
    // Right links are never refused: a whole concert may come by one address.
    if (found !== undefined) return await show(found);
    if (misses.isExhausted(request.ip)) {
      const words = WORDS[languageOf(request)];
      reply.header("retry-after", String(misses.secondsLeft(request.ip)));
      return showMessage(request, reply, 429, words.busyTitle, words.busyText);
    }
    misses.record(request.ip);
    return showMissing(request, reply);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    // For the log, which tells the administrator what the visitor is not told.
    request.state.problem = error;
    const words = WORDS[languageOf(request)];
    reply.headers(error.headers);
    return showMessage(request, reply, error.status, words.nowhereTitle, words.nowhereText);
  }
}

async function showLanding(
  visit: Visit,
  request: FastifyRequest<Link>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const wanted = wantedLanguages(request.headers["accept-language"]);
  const landing = await openLanding(visit, wanted);
  const content = landing.card?.rendered.language;
  const page = landingPage({
    landing,
    offers: await findOffers(visit.context),
    visitor: readVisitor(request.headers),
    language: languageOf(request, content === undefined ? [] : [content]),
    link: request.params.link,
  });
  return sendPage(reply, 200, page);
}

/** What cannot be added is explained by the page. */
async function sendBundle(
  visit: Visit,
  request: FastifyRequest<Link>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (obstacleOf(visit) !== undefined) return backToPage(request, reply);
  const { context, pass } = visit;
  const bundle = await issueBundle(context, pass);
  const etag = `"${bundle.fingerprint}"`;
  reply.headers({ ...SECURE, "cache-control": "private, no-cache", etag });
  if (findMatch(request.headers["if-none-match"], etag) !== undefined) {
    return reply.code(304).send();
  }
  const name = `attachment; filename="${pass.passType}.pkpass"`;
  return reply.header("content-disposition", name).type(PKPASS_TYPE).send(bundle.bytes);
}

async function leadToGoogle(
  visit: Visit,
  request: FastifyRequest<Link>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (obstacleOf(visit) !== undefined) return backToPage(request, reply);
  const link = await googleSaveLinkOf(visit.context, visit.pass);
  return reply.headers({ ...SECURE, "cache-control": "no-store" }).redirect(link, 302);
}

/** Relative, so that it leads back under every host name and prefix. */
function backToPage({ params }: FastifyRequest<Link>, reply: FastifyReply): FastifyReply {
  return reply
    .headers({ ...SECURE, "cache-control": "no-store" })
    .redirect(`../${params.link}`, 302);
}

function showMissing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const words = WORDS[languageOf(request)];
  return showMessage(request, reply, 404, words.missingTitle, words.missingText);
}

function showMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  title: string,
  text: string,
): FastifyReply {
  return sendPage(reply, status, messagePage(languageOf(request), title, text));
}

/** The language of the page's own words: what the visitor reads, or else what the card is in. */
function languageOf(request: FastifyRequest, others: readonly string[] = []): PageLanguage {
  const wanted = wantedLanguages(request.headers["accept-language"]);
  return chooseLanguage([...wanted, ...others], PAGE_LANGUAGES) ?? "en";
}

export const SECURE = {
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
      vary: "accept-language, user-agent, sec-ch-ua-platform",
      "x-frame-options": "DENY",
    })
    .type("text/html; charset=utf-8")
    .send(html);
}
