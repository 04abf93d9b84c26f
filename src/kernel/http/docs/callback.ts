/** The texts of the page on which a sign-in ends. */
export type CallbackPage = {
  readonly title: string;
  readonly reason: string;
  readonly code: string;
};

const REASON_CHARACTERS_MAX = 300;
const CODE_CHARACTERS_MAX = 60;

/** Explanations of error codes, for issuers that send no explanation. */
const REASONS: Readonly<Record<string, string>> = {
  access_denied: "The sign-in was refused or given up.",
  login_required: "Nobody is signed in.",
  invalid_scope: "These rights cannot be given.",
  temporarily_unavailable: "The server that signs people in is not available. Try again later.",
  server_error: "The server that signs people in failed. Try again later.",
};

/**
 * Anyone can make a link to this page, so its parameters are untrusted text: they are shortened and
 * kept on one line.
 */
export function describeCallback(query: Readonly<Record<string, unknown>>): CallbackPage {
  const code = readWord(query.error, CODE_CHARACTERS_MAX);
  if (code === "") {
    return { title: "You are signed in", reason: "This window can be closed.", code: "" };
  }
  const told = readWord(query.error_description, REASON_CHARACTERS_MAX);
  const reason = told || (Object.hasOwn(REASONS, code) ? REASONS[code] : undefined);
  return { title: "You are not signed in", reason: reason ?? "That did not work.", code };
}

function readWord(value: unknown, charactersMax: number): string {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first !== "string") return "";
  const line = first.replace(/[\s\p{C}]+/gu, " ").trim();
  const characters = [...line];
  if (characters.length <= charactersMax) return line;
  return `${characters.slice(0, charactersMax).join("")}…`;
}
