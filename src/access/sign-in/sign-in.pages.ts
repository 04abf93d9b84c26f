import { type Html, html } from "#kernel/http/html.ts";
import { PASSWORD_CHARACTERS_MIN } from "../administrators/administrator.password-rules.ts";
import { renderPage } from "./page.ts";
import type { LinkPurpose } from "./sign-in-link.service.ts";

type Field = {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "email" | "password";
  readonly autocomplete: string;
  readonly value?: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly readonly?: boolean;
  readonly autofocus?: boolean;
};

function field({ name, label, type, autocomplete, value, hint, error, ...more }: Field): Html {
  const described = describedBy(name, hint, error);
  return html`<div>
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value ?? ""}" autocomplete="${autocomplete}" required${
    more.readonly === true ? html` readonly` : undefined
  }${more.autofocus === true ? html` autofocus` : undefined}${
    error === undefined ? undefined : html` aria-invalid="true"`
  }${described === undefined ? undefined : html` aria-describedby="${described}"`}${
    type === "text"
      ? html` maxlength="200"`
      : html` maxlength="254" spellcheck="false" autocapitalize="none"`
  }>
${error === undefined ? help(name, hint) : html`<p class="error" id="${name}-error">${error}</p>`}
</div>`;
}

function describedBy(name: string, hint?: string, error?: string): string | undefined {
  if (error !== undefined) return `${name}-error`;
  return hint === undefined ? undefined : `${name}-hint`;
}

function help(name: string, hint: string | undefined): Html | undefined {
  return hint === undefined ? undefined : html`<p class="hint" id="${name}-hint">${hint}</p>`;
}

function notice(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<p class="notice" role="alert">${text}</p>`;
}

export type SignInPage = {
  readonly baseUrl: string;
  readonly action: string;
  /** The name of the client to which people return. */
  readonly clientName: string;
  readonly email: string;
  readonly problem?: string | undefined;
};

export function signInPage({ baseUrl, action, clientName, email, problem }: SignInPage): string {
  const knowsEmail = email !== "";
  return renderPage({
    baseUrl,
    title: "Sign in",
    lead: html`Use your administrator account to go on to <strong>${clientName}</strong>.`,
    body: html`${notice(problem)}
<form method="post" action="${action}">
${field({
  name: "email",
  label: "E-mail address",
  type: "email",
  autocomplete: "username",
  value: email,
  autofocus: !knowsEmail,
})}
${field({
  name: "password",
  label: "Password",
  type: "password",
  autocomplete: "current-password",
  autofocus: knowsEmail,
})}
<button type="submit">Sign in</button>
<p class="hint">Forgot it? Another administrator can send you a new sign-in link.</p>
</form>`,
  });
}

const WELCOME_FIELDS = ["name", "email", "password", "repeat"] as const;
export type WelcomeErrors = Partial<Record<(typeof WELCOME_FIELDS)[number], string>>;

export type WelcomePage = {
  readonly baseUrl: string;
  readonly action: string;
  readonly purpose: LinkPurpose;
  readonly sent?: { readonly name: string; readonly email: string };
  readonly errors?: WelcomeErrors;
  readonly problem?: string;
};

export function welcomePage(page: WelcomePage): string {
  const { purpose, sent, errors = {} } = page;
  const isFirst = purpose.kind === "first-run";
  // The focus is on the first wrong field, or on the first empty one.
  const focus = WELCOME_FIELDS.find((name) => name in errors) ?? (isFirst ? "name" : "password");
  return renderPage({
    baseUrl: page.baseUrl,
    title: isFirst ? "Welcome to Billfold" : `Welcome, ${purpose.name}`,
    lead: isFirst
      ? "Create the first account. It is a Global Administrator: it can do everything, and invite others."
      : "Choose a password for your administrator account.",
    body: html`${notice(page.problem)}
<form method="post" action="${page.action}">
${
  isFirst
    ? field({
        name: "name",
        label: "Your name",
        type: "text",
        autocomplete: "name",
        value: sent?.name ?? "",
        error: errors.name,
        autofocus: focus === "name",
      })
    : undefined
}
${field({
  name: "email",
  label: "E-mail address",
  type: "email",
  autocomplete: "username",
  value: isFirst ? (sent?.email ?? "") : purpose.email,
  error: errors.email,
  readonly: !isFirst,
  autofocus: focus === "email",
})}
${field({
  name: "password",
  label: "Password",
  type: "password",
  autocomplete: "new-password",
  hint: `At least ${PASSWORD_CHARACTERS_MIN} characters, such as a few words in a row.`,
  error: errors.password,
  autofocus: focus === "password",
})}
${field({
  name: "repeat",
  label: "The same password again",
  type: "password",
  autocomplete: "new-password",
  error: errors.repeat,
  autofocus: focus === "repeat",
})}
<button type="submit">${isFirst ? "Create account" : "Set password"}</button>
</form>`,
  });
}

/** The text is the same for links that were used, have expired or never existed. */
export function deadLinkPage(baseUrl: string): string {
  return renderPage({
    baseUrl,
    title: "This link no longer works",
    lead: html`Sign-in links work once and for a limited time. Ask an administrator for a new one. If
nobody has an account yet, restart Billfold: it prints a fresh link.`,
  });
}

/** For a link that was used up without a sign-in, because something failed in between. */
export function passwordSetPage(baseUrl: string): string {
  return renderPage({
    baseUrl,
    title: "Your password is set",
    lead: html`But you could not be signed in. Wait a moment, then sign in at
<code>${baseUrl}/docs</code> with your e-mail address and this password.`,
  });
}

/** For a sign-in page that was open for too long or was opened from a bookmark. */
export function startAgainPage(baseUrl: string): string {
  return renderPage({
    baseUrl,
    title: "Please start again",
    lead: "This sign-in page has run out. Go back to the application and sign in from there.",
  });
}

export function foreignFormPage(baseUrl: string): string {
  return renderPage({
    baseUrl,
    title: "Please start again",
    lead: html`For your safety this form is only accepted from <code>${baseUrl}</code> itself.`,
  });
}

export function errorPage(baseUrl: string, code: string, description: string | undefined): string {
  return renderPage({
    baseUrl,
    title: "That did not work",
    lead: html`${description ?? "The request cannot be answered."} <code>${code}</code>`,
  });
}

/** `form` comes from the authorization server; it contains only a hidden secret. */
export function signOutPage(baseUrl: string, form: Html, formId: string): string {
  return renderPage({
    baseUrl,
    title: "Sign out?",
    lead: "You will need your password to come back.",
    body: html`${form}<div class="actions">
<button form="${formId}" name="logout" value="yes" type="submit" autofocus>Sign out</button>
<button form="${formId}" class="quiet" type="submit">Stay signed in</button>
</div>`,
  });
}

export function signedOutPage(baseUrl: string): string {
  return renderPage({
    baseUrl,
    title: "You are signed out",
    lead: "You can close this page.",
  });
}
