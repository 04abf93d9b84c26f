import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ProblemError } from "#kernel/errors.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { AddressCounter } from "#src/access/public.ts";
import { LANDING_WORDS } from "#src/wallets/public.ts";
import { FORM_WORDS } from "../form/form.words.ts";
import { pageLanguageOf, plainHeaders, sendMessage } from "../page.ts";
import { callOf } from "../visitor.service.ts";
import { isCode, type Link } from "./link.schema.ts";
import { findOpenLink, visitLink } from "./link.service.ts";

const OP = "enrolment-link.visit";
/** Wrong codes of one address and minute. */
const MISSES_PER_MINUTE_MAX = 60;
/** Visits of one address and minute that are counted. Nobody is refused: a whole hall may share one. */
const COUNTED_PER_MINUTE_MAX = 120;

const countersIn = perRuntime(() => {
  const now = () => performance.now();
  return {
    misses: new AddressCounter(MISSES_PER_MINUTE_MAX, now),
    counted: new AddressCounter(COUNTED_PER_MINUTE_MAX, now),
  };
});

type Address = { Params: { tenantId: string; code: string } };

/** Adds the short addresses that posters and tills show. */
export function plugVisits(app: FastifyInstance, runtime: Runtime): void {
  app.get<Address>("/r/:tenantId/:code", { config: { op: OP } }, async (request, reply) => {
    const { misses } = countersIn(runtime);
    const words = FORM_WORDS[pageLanguageOf(request)];
    try {
      const link = await findVisited(runtime, request);
      if (link !== undefined) return leadToForm(request, reply, link);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      request.state.problem = error;
      const { nowhereTitle, nowhereText } = LANDING_WORDS[pageLanguageOf(request)];
      return sendMessage(request, reply, error.status, nowhereTitle, nowhereText);
    }
    if (misses.isExhausted(request.ip)) {
      const { busyTitle, busyText } = LANDING_WORDS[pageLanguageOf(request)];
      reply.header("retry-after", String(misses.secondsLeft(request.ip)));
      return sendMessage(request, reply, 429, busyTitle, busyText);
    }
    misses.record(request.ip);
    return sendMessage(request, reply, 404, words.missingTitle, words.missingText);
  });
}

async function findVisited(
  runtime: Runtime,
  request: FastifyRequest<Address>,
): Promise<Link | undefined> {
  const { tenantId, code } = request.params;
  if (!isCode(code)) return undefined;
  const { counted } = countersIn(runtime);
  const { requestId } = request.state;
  const context = await callOf(runtime, { tenantId, op: OP, requestId });
  if (context === undefined) return undefined;
  if (!isVisit(request) || counted.isExhausted(request.ip)) {
    return await findOpenLink(context, code);
  }
  counted.record(request.ip);
  return await visitLink(context, code);
}

/** Browsers look ahead, and messengers ask whether there is a page: nobody has come yet. */
function isVisit({ method, headers }: FastifyRequest): boolean {
  const isAhead = headers["sec-purpose"] !== undefined || headers.purpose !== undefined;
  return method === "GET" && !isAhead;
}

/** Relative, so that it leads on under every host name and prefix. */
function leadToForm(
  { params }: FastifyRequest<Address>,
  reply: FastifyReply,
  { passType, id }: Link,
): FastifyReply {
  const form = `../../e/${params.tenantId}/${encodeURIComponent(passType)}?link=${id}`;
  return reply.headers({ ...plainHeaders, "cache-control": "no-store" }).redirect(form, 302);
}
