// Signs in by authorization code with PKCE, in a window of its own. That window ends at
// `docs/callback` of this site, and this script reads the answer from the window's address.

const WINDOW = "popup,width=520,height=720";
const LOOK_EVERY_MS = 200;
const PATIENCE_MS = 10 * 60_000;
const TOKEN_TIMEOUT_MS = 30_000;

/** Reads our client from the page; undefined if the installation has none for this page. */
export function readClient() {
  const { content } = document.querySelector("meta[name=sign-in]");
  return content === "" ? undefined : JSON.parse(content);
}

/**
 * Resolves with the token and its expiry, or throws the reason. The window is opened before the
 * first `await`, because browsers allow a new window only in direct response to a click.
 */
export async function signIn({ clientId, callback, authorizationUrl, tokenUrl, scopes }) {
  const opened = window.open("", "billfold-sign-in", WINDOW);
  if (opened === null) throw new Error("The browser did not open the window. Allow pop-ups here.");
  try {
    const state = randomText();
    const verifier = randomText();
    const address = new URL(authorizationUrl);
    for (const [name, value] of Object.entries({
      response_type: "code",
      client_id: clientId,
      redirect_uri: callback,
      scope: scopes.join(" "),
      state,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: "S256",
    })) {
      address.searchParams.set(name, value);
    }
    opened.location.replace(address);
    const answer = await answerIn(opened, callback);
    if (answer.has("error"))
      throw new Error(answer.get("error_description") || answer.get("error"));
    if (answer.get("state") !== state) throw new Error("The answer belongs to another sign-in.");
    const code = answer.get("code") ?? "";
    return await changeForToken(tokenUrl, { code, verifier, clientId, callback });
  } finally {
    opened.close();
  }
}

function randomText() {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier) {
  if (crypto.subtle === undefined) {
    throw new Error("Browsers sign in over https, or on this computer under its name localhost.");
  }
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return toBase64Url(new Uint8Array(digest));
}

function toBase64Url(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Polls the address of the window until the window is back on this site. */
function answerIn(opened, callback) {
  const giveUpAt = Date.now() + PATIENCE_MS;
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      const answer = readAnswer(opened, callback);
      if (answer === undefined && !opened.closed && Date.now() < giveUpAt) return;
      clearInterval(timer);
      if (answer === undefined) reject(new Error("The window was closed before the end."));
      else resolve(answer);
    }, LOOK_EVERY_MS);
  });
}

function readAnswer(opened, callback) {
  try {
    const { origin, pathname, search } = opened.location;
    const answer = new URLSearchParams(search);
    const isAnswer =
      `${origin}${pathname}` === callback && (answer.has("code") || answer.has("error"));
    return isAnswer ? answer : undefined;
  } catch {
    // The window shows another site, whose address the browser hides from us.
    return undefined;
  }
}

async function changeForToken(tokenUrl, { code, verifier, clientId, callback }) {
  const sent = await fetch(tokenUrl, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: clientId,
      redirect_uri: callback,
      code,
      code_verifier: verifier,
    }),
    signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
  });
  const answer = await sent.json();
  if (typeof answer.access_token !== "string") {
    throw new Error(answer.error_description ?? answer.error ?? `The answer was ${sent.status}.`);
  }
  const seconds = Number(answer.expires_in) || 3_600;
  return { token: answer.access_token, expiresAt: Date.now() + seconds * 1_000 };
}
