import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import ssh2 from "ssh2";
import { systemCall } from "#kernel/call.ts";
import { isTenantId } from "#kernel/db/scope.ts";
import { ProblemError } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { readSecret } from "#src/secrets/public.ts";
import { sshKeyProblem, type TenantSettings, tenantCacheOf } from "#src/tenants/public.ts";
import { fingerprintOf } from "../host-keys/host-key.service.ts";
import { PASSWORD_BYTES_MAX } from "./server.limits.ts";

export const PASSWORD_SECRET = "SFTP-PASSWORD";

/** What somebody signed in with, to ask later whether it is still valid. */
type Credential =
  | { readonly kind: "password"; readonly digest: Buffer }
  | { readonly kind: "key"; readonly publicKey: Buffer };

export type Login = {
  readonly tenantId: string;
  /** When the tenant was created: the next tenant of the id has other files. */
  readonly tenantSince: Date;
  readonly credential: Credential;
  /** Safe to show: the name of the secret, or the fingerprint of the key. */
  readonly credentialName: string;
};

/** The key that a client offers, and once it is found fitting, the proof that the client has it. */
export type OfferedKey = {
  readonly algorithm: string;
  readonly publicKey: Buffer;
  readonly hash: string | undefined;
  readonly proof: { readonly signed: Buffer; readonly signature: Buffer } | undefined;
};

const processKey = randomBytes(32);

/** Values of equal length can be compared without telling how much of them is right. */
function digestOf(password: string): Buffer {
  return createHmac("sha256", processKey).update(password).digest();
}

export async function loginByPassword(
  runtime: Runtime,
  user: string,
  password: string,
): Promise<Login | undefined> {
  const isShort = Buffer.byteLength(password) <= PASSWORD_BYTES_MAX;
  const digest = digestOf(isShort ? password : "");
  const credentials = new Credentials(runtime, user);
  const expected = await credentials.passwordDigest();
  const tenantSince = await credentials.tenantSince();
  if (expected === undefined || tenantSince === undefined) return undefined;
  if (!isShort || !timingSafeEqual(digest, expected)) return undefined;
  return {
    tenantId: user,
    tenantSince,
    credential: { kind: "password", digest },
    credentialName: PASSWORD_SECRET,
  };
}

/** Without a proof, this says whether the key would be accepted. */
export async function loginByKey(
  runtime: Runtime,
  user: string,
  offered: OfferedKey,
): Promise<Login | undefined> {
  const credentials = new Credentials(runtime, user);
  const keys = await credentials.keys();
  const tenantSince = await credentials.tenantSince();
  if (tenantSince === undefined) return undefined;
  const key = keys.find(({ blob }) => isSame(blob, offered.publicKey));
  if (key === undefined || key.parsed.type !== offered.algorithm) return undefined;
  // Signatures by RSA with SHA-1 have no hash here, and can be forged.
  if (offered.algorithm === "ssh-rsa" && offered.hash === undefined) return undefined;
  const { proof, hash } = offered;
  if (proof !== undefined && key.parsed.verify(proof.signed, proof.signature, hash) !== true) {
    return undefined;
  }
  return {
    tenantId: user,
    tenantSince,
    credential: { kind: "key", publicKey: key.blob },
    credentialName: fingerprintOf(key.blob),
  };
}

type OpenTenant = { readonly createdAt: Date; readonly settings: TenantSettings };
type Key = { readonly parsed: ssh2.ParsedKey; readonly blob: Buffer };

/** What one user may sign in with. Each part is read once, when it is asked for. */
export class Credentials {
  readonly #runtime: Runtime;
  readonly #user: string;
  #digest: Promise<Buffer | undefined> | undefined;
  #keys: Promise<Key[]> | undefined;
  #tenant: Promise<OpenTenant | undefined> | undefined;

  constructor(runtime: Runtime, user: string) {
    this.#runtime = runtime;
    this.#user = user;
  }

  /** False once the tenant is deleted, its file drop closed, or the password or key another one. */
  async stillHas({ credential, tenantSince }: Login): Promise<boolean> {
    if ((await this.tenantSince())?.getTime() !== tenantSince.getTime()) return false;
    if (credential.kind === "password") {
      const digest = await this.passwordDigest();
      return digest !== undefined && timingSafeEqual(digest, credential.digest);
    }
    return (await this.keys()).some(({ blob }) => isSame(blob, credential.publicKey));
  }

  passwordDigest(): Promise<Buffer | undefined> {
    this.#digest ??= this.#readDigest();
    return this.#digest;
  }

  async tenantSince(): Promise<Date | undefined> {
    return (await this.#findTenant())?.createdAt;
  }

  keys(): Promise<Key[]> {
    this.#keys ??= this.#readKeys();
    return this.#keys;
  }

  async #readDigest(): Promise<Buffer | undefined> {
    if ((await this.#findTenant()) === undefined) return undefined;
    const call = systemCall(this.#runtime, "sftp.sign-in", { tenantId: this.#user });
    const password = await readSecret(call, PASSWORD_SECRET);
    return password === undefined ? undefined : digestOf(password);
  }

  async #readKeys(): Promise<Key[]> {
    return ((await this.#findTenant())?.settings.sftp?.keys ?? []).flatMap(parseUsable);
  }

  /** Undefined also if its file drop is closed. */
  #findTenant(): Promise<OpenTenant | undefined> {
    this.#tenant ??= this.#readTenant();
    return this.#tenant;
  }

  async #readTenant(): Promise<OpenTenant | undefined> {
    if (!isTenantId(this.#user)) return undefined;
    const tenant = await tenantCacheOf(this.#runtime).find(this.#user);
    return tenant?.settings.sftp?.enabled === true ? tenant : undefined;
  }
}

/**
 * Configurations are published with good keys only, but older ones may have others: those are passed
 * over, and the rest stays usable.
 */
function parseUsable(line: string): Key[] {
  if (sshKeyProblem(line) !== undefined) return [];
  const parsed = ssh2.utils.parseKey(line);
  return parsed instanceof Error ? [] : [{ parsed, blob: parsed.getPublicSSH() }];
}

/** The database is away or overloaded: that says nothing about who wants to sign in. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 503;
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
