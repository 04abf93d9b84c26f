import { useSyncExternalStore } from "react";
import { ApiProblem } from "../api/problem.ts";
import { basePath, settings } from "../settings.ts";
import {
  exchange,
  finishSignIn,
  leaveForSignIn,
  makeRequest,
  readCode,
  refresh,
  SignInRefused,
  signInSilently,
  type Tokens,
} from "./authorization.ts";
import { type Person, readPerson } from "./person.ts";

export type SessionState =
  | { readonly status: "starting" }
  | { readonly status: "in"; readonly person: Person }
  /** The session is over while the page is open: everything typed stays. */
  | {
      readonly status: "ended";
      readonly person: Person;
      readonly problem?: string;
      /** The address of the sign-in, if the browser opened no window for it. */
      readonly blocked?: string;
    }
  | { readonly status: "failed"; readonly code: string; readonly problem: string }
  /** The sign-in worked, and the API could not say who this is. */
  | { readonly status: "unknown"; readonly error: ApiProblem };

/** A token is renewed this long before it ends. */
const EARLY_MS = 60_000;
const POPUP = "popup,width=520,height=760";
export const SIGN_IN_WINDOW = "billfold-sign-in";

/** Brings answers of sign-in windows to the page that waits for them. */
const channel = new BroadcastChannel("billfold-session");

let state: SessionState = { status: "starting" };
let tokens: Tokens | undefined;
let renewing: Promise<void> | undefined;
let asked: { readonly state: string; readonly verifier: string } | undefined;
const listeners = new Set<() => void>();
const waiting = new Set<() => void>();

function become(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

export const getSession = (): SessionState => state;

export function useSession(): SessionState {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, getSession);
}

/** The person who is signed in. Pages are only shown to somebody. */
export function usePerson(): Person {
  const session = useSession();
  if (!("person" in session)) throw new Error("Nobody is signed in.");
  return session.person;
}

/** Called once, when the page is opened. Gives the address to show if it is not the present one. */
export async function startSession(): Promise<string | undefined> {
  let address: string | undefined;
  try {
    if (location.pathname === `${basePath}/callback`) {
      const { tokens: gained, back } = await finishSignIn();
      address = back || basePath;
      await enter(gained);
    } else {
      const silent = await signInSilently();
      if (silent === undefined) await leaveForSignIn();
      else await enter(silent);
    }
  } catch (error) {
    become(failureOf(error));
  }
  return address;
}

function failureOf(error: unknown): SessionState {
  if (error instanceof ApiProblem) return { status: "unknown", error };
  const code = error instanceof SignInRefused ? error.code : "unreachable";
  return { status: "failed", code, problem: error instanceof Error ? error.message : "" };
}

export const startAgain = (): Promise<never> => leaveForSignIn();

/** After a failure of the API: the person stays where they are, and types no password again. */
export async function tryAgain(): Promise<void> {
  become({ status: "starting" });
  await startSession();
}

async function enter(gained: Tokens): Promise<void> {
  const person = await readPerson(gained);
  // What is on the page belongs to the person before.
  if ("person" in state && state.person.id !== person.id) {
    location.reload();
    // Requests of the person before must not leave in the name of this one.
    return await new Promise<never>(() => undefined);
  }
  tokens = gained;
  become({ status: "in", person });
  for (const go of waiting) go();
  waiting.clear();
}

/** A token that is good for a request now. Waits while the person signs in again. */
export async function accessToken(): Promise<string> {
  if (tokens !== undefined && tokens.expiresAt - EARLY_MS < Date.now()) await renew();
  while (tokens === undefined) await new Promise<void>((go) => waiting.add(go));
  return tokens.accessToken;
}

/** The API refused this token. Several requests may find out at the same time. */
export async function replaceToken(refused: string): Promise<void> {
  if (tokens?.accessToken === refused) await renew();
}

function renew(): Promise<void> {
  renewing ??= tryToRenew().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

async function tryToRenew(): Promise<void> {
  const old = tokens;
  if (old?.refreshToken !== undefined) {
    try {
      const fresh = await refresh(old.refreshToken);
      tokens = { ...fresh, idToken: fresh.idToken ?? old.idToken };
      return;
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
    }
  }
  const silent = await signInSilently();
  if (silent !== undefined) await enter(silent);
  else end();
}

function end(): void {
  tokens = undefined;
  if (state.status === "in") become({ status: "ended", person: state.person });
}

/** Opens the sign-in in a window of its own. Call it from a click, or browsers block the window. */
export async function signInAgain(): Promise<void> {
  const hint = "person" in state ? state.person.email : "";
  const opened = window.open("about:blank", SIGN_IN_WINDOW, POPUP);
  const request = await makeRequest("again", hint === "" ? {} : { login_hint: hint });
  asked = request;
  if (opened !== null) opened.location.href = request.url;
  // To leave this page would lose what was typed.
  else if (state.status === "ended") become({ ...state, blocked: request.url });
}

channel.onmessage = async ({ data }: MessageEvent<{ kind: string; search?: string }>) => {
  if (data.kind !== "answer" || asked === undefined) return;
  const answer = new URLSearchParams(data.search);
  if (answer.get("state") !== asked.state) return;
  const { verifier, state: expected } = asked;
  asked = undefined;
  try {
    await enter(await exchange(readCode(answer, expected), verifier));
  } catch (error) {
    if (state.status !== "ended") return;
    become({ ...state, problem: error instanceof Error ? error.message : String(error) });
  }
};

/** In the window of a sign-in: hands the answer to the page that waits for it. */
export function handOverAnswer(): void {
  channel.postMessage({ kind: "answer", search: location.search });
  window.close();
}

/**
 * The server ends the session and all tokens that were made from it, so other tabs of this browser
 * ask for a new sign-in at their next request.
 */
export function signOut(): void {
  const hint = tokens?.idToken;
  const { signIn } = settings;
  if (signIn?.signOutUrl === undefined) {
    // The other issuer keeps its own session, which ends there.
    tokens = undefined;
    become({ status: "failed", code: "signed_out", problem: "" });
    return;
  }
  const url = new URL(signIn.signOutUrl);
  url.searchParams.set("client_id", signIn.clientId);
  url.searchParams.set("post_logout_redirect_uri", `${settings.baseUrl}/console`);
  if (hint !== undefined) url.searchParams.set("id_token_hint", hint);
  location.assign(url.href);
}
