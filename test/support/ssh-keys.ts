import ssh2 from "ssh2";

/** Of a public key: the name of its type, its point of 32 bytes, and the lengths of both. */
const WHOLE_BYTES = 51;

export type SshKeyPair = { readonly private: string; readonly public: string };

/** The library spoils a key that begins with a zero, one of 256: such a one is made again. */
export function makeEd25519(comment = ""): SshKeyPair {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync("ed25519", { comment });
    const [, base64 = ""] = pair.public.split(" ");
    if (Buffer.from(base64, "base64").length === WHOLE_BYTES) return pair;
  }
}
