import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "node:test";
import { promisify } from "node:util";
import { OPENSSH } from "./openssh-path.ts";
import { makeEd25519 } from "./ssh-keys.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 120_000;

/** Tests with the programs that people use. `test/run.ts` says so where they are missing. */
export function describeWithOpenSsh(title: string, tests: () => void): void {
  if (OPENSSH !== undefined) describe(title, tests);
}

export type OpenSsh = Awaited<ReturnType<typeof prepareOpenSsh>>;

/** A folder with a key, and the programs as somebody who has never connected before runs them. */
export async function prepareOpenSsh(owner: { after(undo: () => Promise<void>): void }) {
  const folder = await mkdtemp(join(tmpdir(), "billfold-openssh-"));
  owner.after(() => rm(folder, { recursive: true, force: true }));
  const key = makeEd25519("till");
  const at = (name: string) => join(folder, name);
  await writeFile(at("key"), key.private, { mode: 0o600 });

  const start = async (program: string, words: readonly string[], env = {}) => {
    const { PATH = "" } = process.env;
    const running = run(join(OPENSSH ?? "", program), words, {
      cwd: folder,
      timeout: TIMEOUT_MS,
      env: { PATH, HOME: folder, ...env },
    });
    running.child.stdin?.end();
    return await running;
  };
  const options = (port: number) => [
    ...["-o", `UserKnownHostsFile=${at("known_hosts")}`, "-o", "StrictHostKeyChecking=yes"],
    ...["-o", "IdentitiesOnly=yes", "-F", "none", "-P", String(port)],
  ];

  return {
    at,
    publicKey: key.public,
    /** What the service says of its own keys: without it, no program connects. */
    trust: (port: number, hostKeys: readonly string[]) =>
      writeFile(
        at("known_hosts"),
        hostKeys.map((line) => `[127.0.0.1]:${port} ${line}\n`).join(""),
      ),
    /** Runs commands of `sftp` one after the other, until one fails. */
    async sftp(port: number, user: string, commands: readonly string[]) {
      await writeFile(at("batch"), `${commands.join("\n")}\n`);
      const words = ["-b", at("batch"), "-i", at("key"), ...options(port), `${user}@127.0.0.1`];
      return (await start("sftp", words)).stdout;
    },
    /** With `-s`: by SFTP and not by the old protocol. */
    async scp(port: number, from: string, to: string) {
      await start("scp", ["-s", "-p", "-i", at("key"), ...options(port), from, to]);
    },
    async scpByPassword(port: number, password: string, from: string, to: string) {
      await writeFile(at("ask"), `#!/bin/sh\necho '${password}'\n`);
      await chmod(at("ask"), 0o700);
      const env = { SSH_ASKPASS: at("ask"), SSH_ASKPASS_REQUIRE: "force" };
      const words = ["-s", "-o", "PubkeyAuthentication=no", ...options(port), from, to];
      await start("scp", words, env);
    },
  };
}
