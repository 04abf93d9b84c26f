import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from "fastify";
import type { InteractionResults, Provider } from "oidc-provider";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { passwordProblem } from "../administrators/administrator.password-rules.ts";
import { publicPath, SESSION_SECONDS } from "../authorization/authorization.provider.ts";
import { prepareRequest } from "../authorization/authorization.raw.ts";
import { type BrowserToken, readBrowserTokens, setBrowserToken } from "./known-browser.cookie.ts";
import { pageHeaders } from "./page.ts";
import {
  deadLinkPage,
  errorPage,
  foreignFormPage,
  passwordSetPage,
  type SignInPage,
  signInPage,
  startAgainPage,
  type WelcomeErrors,
  welcomePage,
} from "./sign-in.pages.ts";
import { type SignInOutcome, signIn, type Visit } from "./sign-in.service.ts";
import { findLinkPurpose, type LinkPurpose, redeemLink } from "./sign-in-link.service.ts";

const FORM_SIZE_BYTES_MAX = 16 * 1024;
const EMAIL_SHAPE = /^[^\s@<>"]+@[^\s@<>"]+$/;
const REFUSED = "The e-mail address or the password is not right.";

type GetProvider = () => Promise<Provider>;
type Door = { readonly runtime: Runtime; readonly getProvider: GetProvider };

/** Adds the pages for people: sign-in as a part of an authorization, and one-time links. */
export function addSignInPages(
  app: FastifyInstance,
  runtime: Runtime,
  getProvider: GetProvider,
): void {
  const door = { runtime, getProvider };
  const onForm = { bodyLimit: FORM_SIZE_BYTES_MAX };
  app.get<Uid>("/interaction/:uid", (...visit) => orExplain(door, showSignIn, ...visit));
  app.post<Uid>("/interaction/:uid", onForm, (...visit) => ownForm(door, takeSignIn, ...visit));
  app.get<Token>("/sign-in/:token", (...visit) => orExplain(door, showLink, ...visit));
  app.post<Token>("/sign-in/:token", onForm, (...visit) => ownForm(door, takeLink, ...visit));
}

type Handler<Route extends RouteGenericInterface> = (
  door: Door,
  request: FastifyRequest<Route>,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** Shows failures as a page for people, such as an unavailable database. */
async function orExplain<Route extends RouteGenericInterface>(
  door: Door,
  handle: Handler<Route>,
  request: FastifyRequest<Route>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    return await handle(door, request, reply);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { baseUrl } = door.runtime;
    reply.headers(error.headers);
    return page(door.runtime, reply, error.status, errorPage(baseUrl, error.code, error.message));
  }
}

async function ownForm<Route extends RouteGenericInterface>(
  door: Door,
  handle: Handler<Route>,
  request: FastifyRequest<Route>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { runtime } = door;
  if (isOwnForm(request, runtime)) return await orExplain(door, handle, request, reply);
  return page(runtime, reply, 403, foreignFormPage(runtime.baseUrl));
}

type Uid = { Params: { uid: string } };
type Token = { Params: { token: string } };

type Interaction = NonNullable<Awaited<ReturnType<typeof findInteraction>>>;

/**
 * Without an open authorization request, the page asks the person to start again. Somebody who is
 * signed in has gone back in their browser, and is sent on. A form is not: who sends one wants to
 * become somebody, who may be another person than the session knows.
 */
async function withInteraction(
  { runtime, getProvider }: Door,
  request: FastifyRequest<Uid>,
  reply: FastifyReply,
  go: (provider: Provider, interaction: Interaction) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const provider = await getProvider();
  const interaction = await findInteraction(provider, runtime, request, reply);
  if (interaction !== undefined) return await go(provider, interaction);
  if (request.method !== "POST" && (await isSignedIn(provider, request, reply))) {
    return toConsole(runtime, reply);
  }
  return page(runtime, reply, 400, startAgainPage(runtime.baseUrl));
}

function showSignIn(
  door: Door,
  request: FastifyRequest<Uid>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return withInteraction(door, request, reply, async (provider, interaction) => {
    if (interaction.prompt.name !== "login") {
      return finish(provider, request, reply, { consent: {} });
    }
    const { login_hint: hint } = interaction.params;
    const email = typeof hint === "string" ? hint : "";
    const visit = await visitOfClient(door.runtime, provider, request, interaction);
    return showForm(door.runtime, reply, 200, { ...visit, email });
  });
}

function takeSignIn(
  door: Door,
  request: FastifyRequest<Uid>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return withInteraction(door, request, reply, (provider, interaction) =>
    checkSignIn(door.runtime, provider, interaction, request, reply),
  );
}

async function checkSignIn(
  runtime: Runtime,
  provider: Provider,
  interaction: Interaction,
  request: FastifyRequest<Uid>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = readForm(request);
  const email = form("email").trim();
  const password = form("password");
  const browserTokens = readBrowserTokens(request.headers.cookie);
  const outcome = await signIn(runtime, visitOf(request), { email, password, browserTokens });
  if (outcome.kind === "signed-in") {
    keepBrowser(provider, runtime, outcome.browser, request, reply);
    const { administratorId: accountId } = outcome.browser;
    return finish(provider, request, reply, { login: { accountId } });
  }
  const status = outcome.kind === "wait" ? 429 : 401;
  if (outcome.kind === "wait") reply.header("retry-after", String(outcome.seconds));
  const visit = await visitOfClient(runtime, provider, request, interaction);
  return showForm(runtime, reply, status, { ...visit, email, problem: explain(outcome) });
}

type ClientVisit = Omit<SignInPage, "email" | "problem"> & { readonly returnUrl: string };

function showForm(
  { baseUrl }: Runtime,
  reply: FastifyReply,
  status: number,
  { returnUrl, ...form }: ClientVisit & Pick<SignInPage, "email" | "problem">,
): FastifyReply {
  return reply.code(status).headers(pageHeaders(baseUrl, returnUrl)).send(signInPage(form));
}

function explain(outcome: Exclude<SignInOutcome, { kind: "signed-in" }>): string {
  if (outcome.kind === "refused") return REFUSED;
  const { seconds } = outcome;
  return `Too many attempts. Wait ${durationText(seconds)}, then try again.`;
}

function durationText(seconds: number): string {
  if (seconds < 90) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** The library checked `redirect_uri` when the authorization request arrived. */
async function visitOfClient(
  { baseUrl }: Runtime,
  provider: Provider,
  request: FastifyRequest<Uid>,
  { params }: Interaction,
): Promise<ClientVisit> {
  const client = await provider.Client.find(String(params.client_id));
  return {
    baseUrl,
    action: `${publicPath(baseUrl)}/interaction/${encodeURIComponent(request.params.uid)}`,
    clientName: client?.clientName ?? "the application",
    returnUrl: String(params.redirect_uri),
  };
}

/** Returns undefined if the interaction has expired or was started in another browser. */
async function findInteraction(
  provider: Provider,
  runtime: Runtime,
  request: FastifyRequest<Uid>,
  reply: FastifyReply,
) {
  prepareRequest(runtime, request, reply);
  try {
    const interaction = await provider.interactionDetails(request.raw, reply.raw);
    return interaction.uid === request.params.uid ? interaction : undefined;
  } catch (error) {
    if (error instanceof Error && error.name === "SessionNotFound") return undefined;
    throw error;
  }
}

async function isSignedIn(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const session = await provider.Session.get(provider.createContext(request.raw, reply.raw));
  return session.accountId !== undefined;
}

function toConsole({ baseUrl }: Runtime, reply: FastifyReply): FastifyReply {
  return reply.header("cache-control", "no-store").redirect(`${publicPath(baseUrl)}/console`, 303);
}

async function finish(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  result: InteractionResults,
): Promise<FastifyReply> {
  const to = await provider.interactionResult(request.raw, reply.raw, result);
  return reply.header("cache-control", "no-store").redirect(to, 303);
}

async function showLink(
  { runtime }: Door,
  request: FastifyRequest<Token>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { baseUrl } = runtime;
  const purpose = await findLinkPurpose(runtime, request.params.token);
  if (purpose === undefined) return page(runtime, reply, 410, deadLinkPage(baseUrl));
  return page(
    runtime,
    reply,
    200,
    welcomePage({ baseUrl, action: linkAction(runtime, request), purpose }),
  );
}

async function takeLink(
  door: Door,
  request: FastifyRequest<Token>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { runtime } = door;
  const { baseUrl } = runtime;
  const purpose = await findLinkPurpose(runtime, request.params.token);
  if (purpose === undefined) return page(runtime, reply, 410, deadLinkPage(baseUrl));

  const form = readForm(request);
  const sent = readWelcome(form, purpose);
  const again = (status: number, errors: WelcomeErrors, problem?: string) => {
    const action = linkAction(runtime, request);
    const rest = problem === undefined ? {} : { problem };
    const body = welcomePage({ baseUrl, action, purpose, sent, errors, ...rest });
    return page(runtime, reply, status, body);
  };
  const errors = welcomeErrors(sent, form("repeat"));
  if (Object.keys(errors).length > 0) return again(422, errors);

  try {
    const browser = await redeemLink(runtime, visitOf(request), request.params.token, sent);
    if (browser === undefined) return page(runtime, reply, 410, deadLinkPage(baseUrl));
    return await enter(door, browser, request, reply);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    reply.headers(error.headers);
    return again(error.status, {}, error.message);
  }
}

/** Does not fail with a `ProblemError`: the link is used up, so its form must not be shown again. */
async function enter(
  { runtime, getProvider }: Door,
  browser: BrowserToken,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { baseUrl } = runtime;
  try {
    const provider = await getProvider();
    prepareRequest(runtime, request, reply);
    keepBrowser(provider, runtime, browser, request, reply);
    await startSession(provider, runtime, browser.administratorId, request, reply);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    reply.headers(error.headers);
    return page(runtime, reply, error.status, passwordSetPage(baseUrl));
  }
  return toConsole(runtime, reply);
}

type Form = (name: string) => string;
type Sent = { readonly name: string; readonly email: string; readonly password: string };

function readWelcome(form: Form, purpose: LinkPurpose): Sent {
  const isFirst = purpose.kind === "first-run";
  return {
    name: isFirst ? form("name").trim() : purpose.name,
    email: isFirst ? form("email").trim() : purpose.email,
    password: form("password"),
  };
}

function welcomeErrors({ name, email, password }: Sent, repeat: string): WelcomeErrors {
  const errors: WelcomeErrors = {};
  if (name === "" || name.length > 200) errors.name = "Please enter your name.";
  if (!EMAIL_SHAPE.test(email) || email.length > 254) {
    errors.email = "Please enter an e-mail address.";
  }
  const problem = passwordProblem(password, { name, email });
  if (problem !== undefined) errors.password = problem;
  else if (password !== repeat) errors.repeat = "The two passwords are not the same.";
  return errors;
}

/** Starts a new session, because one in this browser may belong to another person. */
async function startSession(
  provider: Provider,
  runtime: Runtime,
  accountId: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = new provider.Session();
  session.loginAccount({ accountId });
  const id = await session.save(SESSION_SECONDS);
  provider.createContext(request.raw, reply.raw).cookies.set(provider.cookieName("session"), id, {
    httpOnly: true,
    sameSite: "lax",
    path: publicPath(runtime.baseUrl) || "/",
    maxAge: SESSION_SECONDS * 1000,
  });
}

function keepBrowser(
  provider: Provider,
  { baseUrl }: Runtime,
  token: BrowserToken,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { cookies } = provider.createContext(request.raw, reply.raw);
  const path = `${publicPath(baseUrl)}/interaction`;
  setBrowserToken(cookies, path, request.headers.cookie, token);
}

function linkAction({ baseUrl }: Runtime, { params }: FastifyRequest<Token>): string {
  return `${publicPath(baseUrl)}/sign-in/${encodeURIComponent(params.token)}`;
}

function visitOf(request: FastifyRequest): Visit {
  return { requestId: request.state.requestId, ip: request.ip };
}

/** Removes NUL, which PostgreSQL cannot store as text. No person types it in a name or password. */
function readForm({ body }: FastifyRequest): Form {
  const text = Buffer.isBuffer(body) ? body.toString("utf8") : "";
  const fields = new URLSearchParams(text);
  return (name) => (fields.get(name) ?? "").replaceAll("\0", "");
}

/**
 * Checks the `Origin` header: the form must be on a page of this server, either under its public
 * address or under the host name of the request.
 */
function isOwnForm({ headers }: Pick<FastifyRequest, "headers">, { baseUrl }: Runtime): boolean {
  const { origin, host } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return origin === new URL(baseUrl).origin || new URL(origin).host === host;
}

function page(
  { baseUrl }: Runtime,
  reply: FastifyReply,
  status: number,
  body: string,
): FastifyReply {
  return reply.code(status).headers(pageHeaders(baseUrl)).send(body);
}
