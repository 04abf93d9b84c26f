import { quote } from "../../api/curl.ts";
import type { Attempt } from "./delivery.ts";

/*
 * Programs that check one delivery: its id, time, body and signatures stand in them, and the secret comes
 * from the environment. They leave out the age of the timestamp, which a receiver has to check: this
 * delivery may be days old.
 */

export type Signed = {
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: string;
  readonly body: string;
};

/** What was signed; undefined if nothing was sent, or the event is no longer kept. */
export function signedOf({ request }: Attempt, body: string | null): Signed | undefined {
  const id = request.headers["webhook-id"];
  const timestamp = request.headers["webhook-timestamp"];
  const signatures = request.headers["webhook-signature"];
  if (id === undefined || timestamp === undefined || signatures === undefined || body === null)
    return undefined;
  return { id, timestamp, signatures, body };
}

const shell = ({ id, timestamp, signatures, body }: Signed): string => `# export WEBHOOK_SECRET=…
id=${quote(id)}
timestamp=${quote(timestamp)}
signatures=${quote(signatures)}
body=${quote(body)}

key=$(printf %s "$WEBHOOK_SECRET" | openssl base64 -d -A | od -An -vtx1 | tr -d ' \\n')
expected=v1,$(printf %s "$id.$timestamp.$body" |
  openssl dgst -sha256 -mac HMAC -macopt hexkey:"$key" -binary | openssl base64 -A)
case " $signatures " in *" $expected "*) echo valid ;; *) echo 'not valid' ;; esac
`;

const javascript = ({ id, timestamp, signatures, body }: Signed): string => `// Save as check.mjs
import { createHmac, timingSafeEqual } from "node:crypto";

const id = ${JSON.stringify(id)};
const timestamp = ${JSON.stringify(timestamp)};
const signatures = ${JSON.stringify(signatures)};
const body = ${JSON.stringify(body)};

const key = Buffer.from(process.env.WEBHOOK_SECRET, "base64");
const digest = createHmac("sha256", key).update(\`\${id}.\${timestamp}.\${body}\`).digest("base64");
const expected = Buffer.from(\`v1,\${digest}\`);
const isValid = signatures.split(" ").map((text) => Buffer.from(text)).some(
  (signature) => signature.length === expected.length && timingSafeEqual(signature, expected),
);
console.log(isValid ? "valid" : "not valid");
`;

const python = ({ id, timestamp, signatures, body }: Signed): string => `import base64, hmac, os

id = ${JSON.stringify(id)}
timestamp = ${JSON.stringify(timestamp)}
signatures = ${JSON.stringify(signatures)}
body = ${inPython(body)}

key = base64.b64decode(os.environ["WEBHOOK_SECRET"])
digest = hmac.digest(key, f"{id}.{timestamp}.{body}".encode(), "sha256")
expected = "v1," + base64.b64encode(digest).decode()
is_valid = any(hmac.compare_digest(text, expected) for text in signatures.split(" "))
print("valid" if is_valid else "not valid")
`;

const php = ({ id, timestamp, signatures, body }: Signed): string => `<?php

$id = ${inPhp(id)};
$timestamp = ${inPhp(timestamp)};
$signatures = ${inPhp(signatures)};
$body = ${inPhp(body)};

$key = base64_decode(getenv('WEBHOOK_SECRET'));
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
$isValid = false;
foreach (explode(' ', $signatures) as $signature) {
    $isValid = hash_equals($expected, $signature) || $isValid;
}
echo $isValid ? "valid\\n" : "not valid\\n";
`;

/** Characters beyond 16 bits would be two in JSON and one in Python, so nothing is escaped but what must be. */
const inPython = (text: string): string =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;

const inPhp = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

export const LANGUAGES = { shell, javascript, python, php } as const;
export type SnippetLanguage = keyof typeof LANGUAGES;
export const LANGUAGE_NAMES: Readonly<Record<SnippetLanguage, string>> = {
  shell: "openssl",
  javascript: "Node.js",
  python: "Python",
  php: "PHP",
};
