import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Key stores (`.p12`) as OpenSSL makes them: a second implementation of the format. */

export type StoreWish = {
  readonly certificate: string;
  readonly keyPem?: string;
  /** Further certificates in PEM. */
  readonly chain?: string;
  readonly passphrase?: string;
  /** Options of `openssl pkcs12 -export`. */
  readonly options?: readonly string[];
};

export function makeKeyStore(wish: StoreWish): Buffer {
  return withFolder((folder) => {
    writeFileSync(join(folder, "leaf.pem"), wish.certificate);
    const key = wish.keyPem === undefined ? ["-nokeys"] : ["-inkey", "key.pem"];
    if (wish.keyPem !== undefined) writeFileSync(join(folder, "key.pem"), wish.keyPem);
    const chain = wish.chain === undefined ? [] : ["-certfile", "chain.pem"];
    if (wish.chain !== undefined) writeFileSync(join(folder, "chain.pem"), wish.chain);
    const password = ["-passout", `pass:${wish.passphrase ?? ""}`];
    const files = ["-in", "leaf.pem", ...key, ...chain, "-out", "store.p12"];
    openssl(folder, "pkcs12", "-export", ...files, ...password, ...(wish.options ?? []));
    return readFileSync(join(folder, "store.p12"));
  });
}

/** What `openssl req -verify` says about a signing request; throws if the signature is wrong. */
export function describeRequest(pem: string): string {
  return withFolder((folder) => {
    writeFileSync(join(folder, "request.pem"), pem);
    const show = ["-verify", "-noout", "-subject", "-pubkey", "-text"];
    return openssl(folder, "req", "-in", "request.pem", ...show);
  });
}

function openssl(folder: string, ...args: readonly string[]): string {
  return execFileSync("openssl", args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
}

function withFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), "billfold-key-store-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
