import type { Algorithms } from "ssh2";

/**
 * What the server offers, in full: the defaults of the library have SHA-1 among them. Every client of
 * the last ten years knows some of each list.
 */
export const ALGORITHMS = {
  kex: [
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    // About a millisecond each, which nothing else can use meanwhile. Strangers could keep the process
    // busy with the larger curves (15 and 33 ms) and with Diffie-Hellman groups (16 to 100 ms).
  ],
  serverHostKey: ["ssh-ed25519", "ecdsa-sha2-nistp256"],
  cipher: [
    "aes256-gcm@openssh.com",
    "aes128-gcm@openssh.com",
    "chacha20-poly1305@openssh.com",
    "aes256-ctr",
    "aes192-ctr",
    "aes128-ctr",
  ],
  // Those that authenticate what was encrypted, which is the safe order. The first two ciphers need none.
  hmac: ["hmac-sha2-512-etm@openssh.com", "hmac-sha2-256-etm@openssh.com"],
  // Bytes that were compressed may become very many.
  compress: ["none"],
} satisfies Algorithms;
