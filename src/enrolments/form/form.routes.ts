import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TenantContext } from "#kernel/context.ts";
import { ProblemError } from "#kernel/errors.ts";
import { wantedLanguages } from "#kernel/http/accept-language.ts";
import { randomBase62 } from "#kernel/ids.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { AddressCounter } from "#src/access/public.ts";
import { findPictureOf, LANDING_WORDS, PICTURES } from "#src/wallets/public.ts";
import { enrol, findRepeated } from "../entries/entry.service.ts";
import { pageLanguageOf, plainHeaders, sendMessage, sendPage } from "../page.ts";
import { callOf } from "../visitor.service.ts";
import { type AnswerProblem, type Answers, readAnswers, type Typed } from "./form.answers.ts";
import { isOwnForm } from "./form.origin.ts";
import { formPage, knownPage } from "./form.page.ts";
import { type Form, openForm } from "./form.service.ts";
import { FORM_WORDS } from "./form.words.ts";

const OP = "enrolment.open";
const FORM_BYTES_MAX = 64 * 1_024;
const FIELDS_SENT_MAX = 100;
const ATTEMPT_LENGTH = 32;
const ATTEMPT = /^[0-9A-Za-z]{32}$/;

/**
 * Forms sent in a minute, on this node: of one address, for one tenant, and forms of one address
 * whose person is known. The last keeps strangers from asking for many people whether they are known:
 * a form takes its place before it is known whom it is of, or many at once would all find room.
 */
const SENT_BY_ADDRESS_MAX = 30;
const SENT_TO_TENANT_MAX = 600;
const KNOWN_BY_ADDRESS_MAX = 5;

/** A double tap sends a token twice: the second form is refused before the first has made its pass. */
const WAITS_FOR_FIRST_MS = [0, 250, 750];

const limitsIn = perRuntime(() => {
  const now = () => performance.now();
  return {
    byAddress: new AddressCounter(SENT_BY_ADDRESS_MAX, now),
    byTenant: new AddressCounter(SENT_TO_TENANT_MAX, now, (tenantId) => tenantId),
    known: new AddressCounter(KNOWN_BY_ADDRESS_MAX, now),
  };
});

type Address = {
  Params: { tenantId: string; passType: string };
  Querystring: Readonly<Record<string, unknown>>;
};
type Request = FastifyRequest<Address>;

/** What an address leads to: the form, and the call in which it is shown. */
type Opened = { readonly context: TenantContext; readonly form: Form };

/** Adds the public forms. They need no credential, and use none that a browser sends by itself. */
export function plugForms(app: FastifyInstance, runtime: Runtime): void {
  const url = "/e/:tenantId/:passType";
  const config = { op: OP };
  app.get<Address>(url, { config }, (request, reply) =>
    withForm(runtime, request, reply, textOf(request.query.lang), ({ form }) =>
      showForm(reply, 200, form),
    ),
  );
  const onSent = { bodyLimit: FORM_BYTES_MAX, config: { op: "enrolment.send" } };
  app.post<Address>(url, onSent, (request, reply) => takeForm(runtime, request, reply));
  for (const picture of PICTURES) {
    app.get<Address>(`${url}/${picture}.png`, { config }, (request, reply) =>
      withForm(runtime, request, reply, undefined, async ({ context, form }) => {
        const found = await findPictureOf(context, form.type.template, picture);
        if (found === undefined) return showMissing(request, reply);
        reply.headers({ ...plainHeaders, "cache-control": "public, max-age=3600" });
        return reply.type("image/png").send(found.bytes);
      }),
    );
  }
}

async function withForm(
  runtime: Runtime,
  request: Request,
  reply: FastifyReply,
  language: string | undefined,
  show: (opened: Opened) => Promise<FastifyReply> | FastifyReply,
): Promise<FastifyReply> {
  try {
    const opened = await open(runtime, request, language);
    return opened === undefined ? showMissing(request, reply) : await show(opened);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (error.status === 404) return showMissing(request, reply);
    // For the log, which tells the administrator what the visitor is not told.
    request.state.problem = error;
    reply.headers(error.headers);
    const words = LANDING_WORDS[pageLanguageOf(request)];
    return sendMessage(request, reply, error.status, words.nowhereTitle, words.nowhereText);
  }
}

async function open(
  runtime: Runtime,
  request: Request,
  language: string | undefined,
): Promise<Opened | undefined> {
  const { tenantId, passType } = request.params;
  const { requestId } = request.state;
  const context = await callOf(runtime, { tenantId, op: OP, requestId });
  if (context === undefined) return undefined;
  request.state.tenantId = tenantId;
  const wanted = wantedLanguages(request.headers["accept-language"]);
  const form = await openForm(context, {
    passType,
    languages: language === undefined ? wanted : [language, ...wanted],
    code: textOf(request.query.link),
  });
  return form && { context, form };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= 64 ? value : undefined;
}

async function takeForm(
  runtime: Runtime,
  request: Request,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const limits = limitsIn(runtime);
  const { tenantId } = request.params;
  const sent = readSent(request);
  return await withForm(runtime, request, reply, textOf(sent.get("lang")), async (opened) => {
    const { form } = opened;
    const words = FORM_WORDS[form.wordsIn];
    const consents = form.settings.consents ?? [];
    const { typed, problems, answers } = readAnswers(sent, form.fields, consents);
    const attempt = attemptOf(sent);
    const again = (status: number, trouble?: string) =>
      showForm(reply, status, form, { attempt, typed, problems, trouble });
    const busy = (seconds: number) => {
      reply.header("retry-after", String(seconds));
      return again(429, LANDING_WORDS[form.wordsIn].busyText);
    };
    // Nothing may be awaited between the look at a limit and its record.
    const fullFor = secondsFull(limits, request.ip, tenantId);
    if (fullFor !== undefined) return busy(fullFor);
    limits.byAddress.record(request.ip);
    limits.byTenant.record(tenantId);
    if (!isOwnForm(request.headers, runtime.baseUrl)) return again(403, words.foreign);
    if (answers === undefined) return again(422);
    const first = await passOfSameForm(opened, answers, attempt, [0]);
    if (first !== undefined) return leadToPass(reply, tenantId, first);
    const refusal = await refusalOf(opened, sent, request.ip);
    if (refusal !== undefined) {
      const made = await passOfSameForm(opened, answers, attempt, WAITS_FOR_FIRST_MS);
      if (made !== undefined) return leadToPass(reply, tenantId, made);
      return again(refusal.status, refusal.text);
    }
    if (limits.known.isExhausted(request.ip)) return busy(limits.known.secondsLeft(request.ip));
    limits.known.record(request.ip);
    let isKnown = false;
    try {
      const outcome = await tryToEnrol(request, opened, answers, attempt);
      if (outcome === undefined) return again(503, words.trouble);
      isKnown = outcome.kind === "known";
      return outcome.kind === "known"
        ? sendPage(reply, 409, knownPage(form))
        : leadToPass(reply, tenantId, outcome.pass);
    } finally {
      if (!isKnown) limits.known.takeBack(request.ip);
    }
  });
}

type Limits = ReturnType<typeof limitsIn>;

/** For how long no form can be taken; undefined if one can. */
function secondsFull(limits: Limits, ip: string, tenantId: string): number | undefined {
  const { byAddress, byTenant, known } = limits;
  const full = [
    ...(byAddress.isExhausted(ip) ? [byAddress.secondsLeft(ip)] : []),
    ...(byTenant.isExhausted(tenantId) ? [byTenant.secondsLeft(tenantId)] : []),
    ...(known.isExhausted(ip) ? [known.secondsLeft(ip)] : []),
  ];
  return full.length === 0 ? undefined : Math.max(...full);
}

/**
 * The pass that the same form made when it was sent before. Only asked with a bot check, whose token
 * is good for once: without one, the form is simply taken again.
 */
async function passOfSameForm(
  { context, form }: Opened,
  answers: Answers,
  attempt: string,
  waitsMs: readonly number[],
): Promise<PassLink | undefined> {
  if (form.botCheck === undefined) return undefined;
  const { passType } = form.type.rules;
  for (const waitMs of waitsMs) {
    if (waitMs > 0) await sleep(waitMs);
    const pass = await findRepeated(context, { passType, answers, attempt });
    if (pass !== undefined) return pass;
  }
  return undefined;
}

type PassLink = { readonly id: string; readonly secret: string };

/** Relative, so that it leads on under every host name and prefix. */
function leadToPass(reply: FastifyReply, tenantId: string, { id, secret }: PassLink): FastifyReply {
  const landing = `../../p/${tenantId}/${id}.${secret}`;
  return reply.headers({ ...plainHeaders, "cache-control": "no-store" }).redirect(landing, 303);
}

/** Nothing of the visitor is kept before this says that they are a person. */
async function refusalOf(
  { form }: Opened,
  sent: URLSearchParams,
  ip: string,
): Promise<{ status: number; text: string } | undefined> {
  const { botCheck, wordsIn } = form;
  if (botCheck === undefined) return undefined;
  const words = FORM_WORDS[wordsIn];
  const token = sent.get(botCheck.vendor.formField) ?? "";
  if (token === "") return { status: 403, text: words.botMissing };
  const verdict = await botCheck.verify(token, ip);
  if (verdict.isPerson) return undefined;
  return verdict.reason === "refused"
    ? { status: 403, text: words.botRefused }
    : { status: 503, text: words.botUnavailable };
}

type Outcome = Awaited<ReturnType<typeof enrol>>;

/** Undefined if the form or the template must be mended first: the visitor can do nothing. */
async function tryToEnrol(
  request: Request,
  { context, form }: Opened,
  answers: Answers,
  attempt: string,
): Promise<Outcome | undefined> {
  const { types, type, settings, consents, language, link } = form;
  try {
    const wanted = { types, type, settings, answers, consents, language, attempt, link };
    return await enrol(context, wanted);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    request.state.problem = error;
    const { tenantId, log } = context;
    // Names of members, and never what somebody typed.
    const facts = { tenantId, passType: type.rules.passType, code: error.code };
    const members = Object.keys(error.errors ?? {});
    log.warn({ ...facts, members }, "an enrolment form made no pass");
    return undefined;
  }
}

/** Undefined for a form of this size is read as an empty one: every field has its own message. */
function readSent({ body, headers }: Request): URLSearchParams {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  const isForm = type.trim().toLowerCase() === "application/x-www-form-urlencoded";
  const sent = new URLSearchParams(isForm && Buffer.isBuffer(body) ? body.toString("utf8") : "");
  return sent.size > FIELDS_SENT_MAX ? new URLSearchParams() : sent;
}

/** A form without it is not recognised when it is sent again. */
function attemptOf(sent: URLSearchParams): string {
  const attempt = sent.get("attempt") ?? "";
  return ATTEMPT.test(attempt) ? attempt : randomBase62(ATTEMPT_LENGTH);
}

type Again = {
  readonly attempt: string;
  readonly typed: Typed;
  readonly problems: ReadonlyMap<string, AnswerProblem>;
  readonly trouble: string | undefined;
};

function showForm(reply: FastifyReply, status: number, form: Form, again?: Again): FastifyReply {
  const nothing = { typed: undefined, problems: new Map(), trouble: undefined };
  const attempt = randomBase62(ATTEMPT_LENGTH);
  return sendPage(reply, status, formPage({ form, ...(again ?? { ...nothing, attempt }) }));
}

function showMissing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const words = FORM_WORDS[pageLanguageOf(request)];
  return sendMessage(request, reply, 404, words.missingTitle, words.missingText);
}
