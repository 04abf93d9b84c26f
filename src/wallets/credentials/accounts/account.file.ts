import { validationProblem } from "#kernel/errors.ts";
import { isObject, parseJson } from "#kernel/json.ts";
import { isAccountAddress, readSigningKey } from "../../google/google.key-file.ts";
import type { GoogleAccountPut, GoogleAccountView } from "./account.schema.ts";

/** Throws a 400 that names the member and says in plain words what is wrong with it. */
export function requireAccount(sent: GoogleAccountPut): void {
  const errors: Record<string, string[]> = {};
  if (sent.type !== "service_account") {
    errors.type = [
      "must be 'service_account': this is a file of another kind. Make a key of type JSON for the service account, and send that file",
    ];
  }
  if (!isAccountAddress(sent.client_email)) {
    errors.client_email = ["must be the address of the service account"];
  }
  const reason = keyFault(sent.private_key);
  if (reason !== undefined) errors.private_key = [reason];
  if (Object.keys(errors).length > 0) throw validationProblem(errors);
}

function keyFault(pem: string): string | undefined {
  if (pem.includes("ENCRYPTED")) return "must not be encrypted; send the file as it came";
  const key = readSigningKey(pem);
  if (key === "kind") return "must be an RSA key of at least 2048 bits";
  return key === "key"
    ? "cannot be read as a private key in PEM; send the file as it came"
    : undefined;
}

/** What is shown of a stored account; undefined if the text is none. */
export function accountIn(text: string | undefined): GoogleAccountView | undefined {
  const members = parseJson(text ?? "");
  if (!isObject(members) || typeof members.client_email !== "string") return undefined;
  return presentAccount(members);
}

export function presentAccount(account: Readonly<Record<string, unknown>>): GoogleAccountView {
  const orNull = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    clientEmail: String(account.client_email),
    projectId: orNull(account.project_id),
    keyId: orNull(account.private_key_id),
  };
}
