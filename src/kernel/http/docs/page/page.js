// Runs in the browser, before the reference itself.

import { keepCredentials, NOTHING, readCredentials } from "./credentials.js";
import { forTenant, readDescription } from "./description.js";
import { keepMended } from "./mend.js";
import { readClient, signIn } from "./sign-in.js";

// The schema library of the reference would otherwise probe for `eval`, which the content security
// policy forbids and the browser reports.
globalThis.__zod_globalConfig = { jitless: true };

const CALLBACK = new URL("docs/callback", document.baseURI).href;
/** How long a message is shown whose content the button shows as well. */
const TOLD_MS = 6_000;
const byId = (id) => document.getElementById(id);
const form = byId("try");

function configure(content, { key, token }, client) {
  const flow = {
    token,
    "x-scalar-client-id": client?.clientId ?? "",
    "x-scalar-redirect-uri": CALLBACK,
    "x-usePkce": "SHA-256",
  };
  return {
    content,
    theme: "default",
    layout: "modern",
    withDefaultFonts: false,
    proxyUrl: "",
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    hideClientButton: true,
    persistAuth: false,
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    operationTitleSource: "summary",
    documentDownloadType: "none",
    oauth2RedirectUri: CALLBACK,
    authentication: {
      preferredSecurityScheme: token === "" ? "apiKey" : "oauth2",
      securitySchemes: {
        apiKey: { value: key },
        oauth2: { flows: { authorizationCode: flow } },
      },
    },
  };
}

/** Shows a message below the bar; an empty text removes it. */
function tell(text, link) {
  const parts = link === undefined ? [text] : [text, " ", link];
  byId("status").replaceChildren(...parts);
}

function linkTo(href, text) {
  return Object.assign(document.createElement("a"), { href, textContent: text });
}

async function start() {
  const place = byId("reference");
  const description = await readDescription();
  const client = readClient();
  const flow = description.components.securitySchemes.oauth2.flows?.authorizationCode;
  let credentials = readCredentials();
  const settings = () => configure(forTenant(description, credentials.tenant), credentials, client);

  place.replaceChildren();
  const reference = window.Scalar.createApiReference(place, settings());
  place.removeAttribute("aria-busy");
  keepMended(place);

  let running;
  const planEnd = () => {
    clearTimeout(running);
    if (credentials.token === "") return;
    running = setTimeout(() => {
      use({ ...credentials, token: "", expiresAt: 0 });
      tell("Your sign-in ran out. Authorize once more.");
    }, credentials.expiresAt - Date.now());
  };
  const use = (changed) => {
    credentials = changed;
    keepCredentials(credentials);
    show(credentials);
    planEnd();
    reference.updateConfiguration(settings());
  };
  show(credentials);
  planEnd();

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [tenant, key] = [form.elements.tenant.value.trim(), form.elements.key.value.trim()];
    // A new key replaces the token, because the API refuses a key and a token together.
    const instead = key === "" ? {} : { token: "", expiresAt: 0 };
    use({ ...credentials, ...instead, tenant, key });
    tell("");
  });

  byId("forget").addEventListener("click", () => {
    const wasSignedIn = credentials.token !== "";
    form.reset();
    use(NOTHING);
    if (wasSignedIn && client?.signOutUrl !== undefined) {
      tell("Forgotten here.", linkTo(client.signOutUrl, "Sign out of Billfold as well"));
    } else tell("Forgotten.");
    form.elements.tenant.focus();
  });

  if (client !== undefined && flow !== undefined) {
    offerSignIn({ client, flow }, (signedIn) => use({ ...credentials, ...signedIn }));
  }
}

function offerSignIn({ client, flow }, use) {
  const button = byId("authorize");
  document.documentElement.classList.add("signs-in");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { clientId, callbacks } = client;
    if (callbacks !== undefined && !callbacks.includes(CALLBACK)) {
      const [there] = callbacks;
      const docs = linkTo(there.slice(0, -"/callback".length), "its own address");
      return tell("People sign in where this page is opened by", docs);
    }
    tell("Sign in in the window that opened.");
    const { authorizationUrl, tokenUrl } = flow;
    const scopes = Object.keys(flow.scopes);
    try {
      use(await signIn({ clientId, callback: CALLBACK, authorizationUrl, tokenUrl, scopes }));
      tell("You are signed in. Requests are sent with your token.");
      setTimeout(() => tell(""), TOLD_MS);
    } catch (error) {
      tell(`Not signed in: ${error.message}`);
    }
  });
}

/** Fills the form with the credentials, also after a reload. */
function show({ tenant, key, token }) {
  form.elements.tenant.value = tenant;
  form.elements.key.value = key;
  byId("forget").hidden = tenant === "" && key === "" && token === "";
  byId("authorize").textContent = token === "" ? "Authorize" : "Authorized";
  byId("authorize").classList.toggle("done", token !== "");
}

function explain(error) {
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = `The reference cannot be shown: ${error.message}`;
  byId("reference").replaceChildren(note);
}

document.addEventListener("DOMContentLoaded", () => start().catch(explain));
