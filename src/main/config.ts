import Type, { type Static, type TSchema } from "typebox";
import { Value } from "typebox/value";
import { isNetwork } from "#kernel/egress/egress-policy.ts";
import { isLoopbackHost } from "#kernel/loopback.ts";

const ROLES = ["api", "worker", "sftp"] as const;
export type Role = (typeof ROLES)[number];

const Port = Type.Integer({ minimum: 0, maximum: 65_535 });
const HttpUrl = Type.String({ pattern: "^https?://[^/?#@\\s]+(/[^?#\\s]*)?$", maxLength: 500 });
const HttpsOrigin = Type.String({ pattern: "^https://[^/?#@\\s]+/?$", maxLength: 500 });
const Networks = Type.Refine(Type.String({ maxLength: 4_096 }), (text) =>
  readNetworks(text).every(isNetwork),
);

/** All settings of the product, by environment variable. */
const Settings = Type.Object({
  PORT: Type.Optional(Port),
  HOST: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  BASE_URL: Type.Optional(HttpUrl),
  DATA_DIR: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
  DATABASE_URL: Type.Optional(Type.String({ pattern: "^postgres(ql)?://\\S+$" })),
  DATABASE_POOL_SIZE: Type.Optional(Type.Integer({ minimum: 2, maximum: 500 })),
  ENVIRONMENT: Type.Optional(Type.Enum(["staging", "production"])),
  OPERATOR_KEY: Type.Optional(
    Type.String({ minLength: 32, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" }),
  ),
  MASTER_KEY: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9+/]{43}=$" })),
  MASTER_KEY_PREVIOUS: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9+/]{43}=$" })),
  AUTH_ISSUER: Type.Optional(HttpUrl),
  AUTH_CLIENT_ID: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" }),
  ),
  ROLES: Type.Optional(Type.String({ pattern: "^(api|worker|sftp)(,(api|worker|sftp)){0,2}$" })),
  SFTP_PORT: Type.Optional(Port),
  METRICS_PORT: Type.Optional(Port),
  DEMO: Type.Optional(Type.Enum(["0", "1"])),
  TRUST_PROXY: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  EGRESS_ALLOW: Type.Optional(Networks),
  APNS_URL: Type.Optional(HttpsOrigin),
  GOOGLE_WALLET_URL: Type.Optional(HttpUrl),
  SIMULATOR: Type.Optional(Type.Enum(["0", "1"])),
  LOG_LEVEL: Type.Optional(Type.Enum(["silent", "error", "warn", "info", "debug"])),
});

export const SETTING_NAMES: readonly string[] = Object.keys(Settings.properties);

/** What each setting must be, for error messages, which never contain the value itself. */
const MEANINGS: Record<keyof Static<typeof Settings>, string> = {
  PORT: "a port number from 0 to 65535",
  HOST: "an address to listen on",
  BASE_URL: "an http or https address without query or fragment",
  DATA_DIR: "a folder",
  DATABASE_URL: "a postgres:// address",
  DATABASE_POOL_SIZE: "a number of connections from 2 to 500",
  ENVIRONMENT: "staging or production",
  OPERATOR_KEY: "at least 32 visible ASCII characters",
  MASTER_KEY: "32 bytes in base64 (openssl rand -base64 32)",
  MASTER_KEY_PREVIOUS: "32 bytes in base64, the key in use before",
  AUTH_ISSUER: "the https address of an OpenID issuer",
  AUTH_CLIENT_ID:
    "the client_id of /console and /docs at that issuer, at most 255 visible ASCII characters",
  ROLES: "a list out of api,worker,sftp",
  SFTP_PORT: "a port number from 0 to 65535",
  METRICS_PORT: "a port number from 0 to 65535",
  DEMO: "0 or 1",
  TRUST_PROXY: "how many reverse proxies stand in front, from 0 to 10",
  EGRESS_ALLOW: "networks such as 10.1.0.0/16,fd12::/48, with commas between them",
  APNS_URL: "an https address without path, query or fragment",
  GOOGLE_WALLET_URL: "an http or https address without query or fragment",
  SIMULATOR: "0 or 1",
  LOG_LEVEL: "silent, error, warn, info or debug",
};

export type Config = {
  readonly port: number;
  readonly host: string;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  readonly environment: "staging" | "production";
  /** Undefined if the key is generated once and kept under the data directory. */
  readonly operatorKey: string | undefined;
  readonly masterKeys: readonly Buffer[];
  readonly authIssuer: string | undefined;
  readonly authClientId: string | undefined;
  readonly roles: ReadonlySet<Role>;
  readonly sftpPort: number;
  readonly metricsPort: number | undefined;
  readonly demo: boolean;
  readonly trustedProxies: number;
  /** Networks that may be called in addition to the public ones. */
  readonly egressAllow: readonly string[];
  /** Apple's push service elsewhere than at Apple; undefined: see `wallet-services.ts`. */
  readonly apnsUrl: string | undefined;
  /** Google's services elsewhere than at Google; undefined: see `wallet-services.ts`. */
  readonly googleWalletUrl: string | undefined;
  /** Whether virtual phones and their services are there; never in production. */
  readonly simulator: boolean;
  readonly logLevel: string;
};

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Billfold cannot start:\n${problems.map((line) => `  ${line}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Called once, by an entry point. Reports all problems together and never prints a value. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const read = readSettings(env, problems);
  const production = read.ENVIRONMENT === "production";
  if (read.MASTER_KEY_PREVIOUS !== undefined && read.MASTER_KEY === undefined) {
    problems.push("MASTER_KEY_PREVIOUS only goes with MASTER_KEY, the key in use now.");
  }
  if (read.AUTH_CLIENT_ID !== undefined && read.AUTH_ISSUER === undefined) {
    problems.push("AUTH_CLIENT_ID only goes with AUTH_ISSUER: the built-in server knows its own.");
  }
  if (production) problems.push(...productionProblems(env, read));
  if (problems.length > 0) throw new ConfigError(problems);

  const port = read.PORT ?? 8080;
  const host = read.HOST ?? "127.0.0.1";
  // Whoever reaches the simulator sees what its phones hold, so others must be let in on purpose.
  const hasSimulator =
    read.SIMULATOR === undefined ? host === "::1" || isLoopbackHost(host) : read.SIMULATOR === "1";
  return Object.freeze({
    port,
    host,
    baseUrl: (read.BASE_URL ?? `http://localhost:${port}`).replace(/\/+$/, ""),
    dataDir: read.DATA_DIR ?? "./data",
    databaseUrl: read.DATABASE_URL,
    databasePoolSize: read.DATABASE_POOL_SIZE ?? 10,
    environment: read.ENVIRONMENT ?? "staging",
    operatorKey: read.OPERATOR_KEY,
    masterKeys: [read.MASTER_KEY, read.MASTER_KEY_PREVIOUS]
      .filter((key) => key !== undefined)
      .map((key) => Buffer.from(key, "base64")),
    authIssuer: read.AUTH_ISSUER?.replace(/\/+$/, ""),
    authClientId: read.AUTH_CLIENT_ID,
    roles: new Set((read.ROLES ?? "api,worker,sftp").split(",") as Role[]),
    sftpPort: read.SFTP_PORT ?? 2222,
    metricsPort: read.METRICS_PORT,
    demo: read.DEMO === undefined ? !production : read.DEMO === "1",
    trustedProxies: read.TRUST_PROXY ?? 0,
    egressAllow: readNetworks(read.EGRESS_ALLOW ?? ""),
    apnsUrl: read.APNS_URL?.replace(/\/+$/, ""),
    googleWalletUrl: read.GOOGLE_WALLET_URL?.replace(/\/+$/, ""),
    simulator: hasSimulator && !production,
    logLevel: read.LOG_LEVEL ?? (production ? "info" : "warn"),
  });
}

function readNetworks(text: string): string[] {
  return text === "" ? [] : text.split(",").map((network) => network.trim());
}

type Read = Partial<Static<typeof Settings>>;

function readSettings(env: Readonly<Record<string, string | undefined>>, problems: string[]): Read {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(Settings.properties) as [keyof Read, TSchema][]) {
    const text = env[name];
    // In compose files and systemd units, an empty variable means "not set".
    if (text === undefined || text === "") continue;
    // Digits only, because a conversion would turn `80.5` into 80 and `true` into 1.
    const value = Type.IsInteger(schema) && /^\d+$/.test(text) ? Number(text) : text;
    if (Value.Check(schema, value)) values[name] = value;
    else problems.push(`${name} must be ${MEANINGS[name]}.`);
  }
  return values as Read;
}

/** In production, important settings have no default. */
function productionProblems(
  env: Readonly<Record<string, string | undefined>>,
  read: Read,
): string[] {
  const problems: string[] = [];
  if (env.MASTER_KEY === undefined || env.MASTER_KEY === "") {
    problems.push(`MASTER_KEY is required in production: ${MEANINGS.MASTER_KEY}.`);
  }
  if (env.BASE_URL === undefined || env.BASE_URL === "") {
    problems.push("BASE_URL is required in production: the https:// address people come by.");
  }
  // Also required if a proxy on this machine ends TLS: this is the address that others use.
  if (read.BASE_URL?.startsWith("http:")) {
    problems.push("BASE_URL must begin with https:// in production.");
  }
  const issuer = read.AUTH_ISSUER;
  // Traffic that stays on this machine needs no TLS.
  if (issuer?.startsWith("http:") && !isLoopbackHost(new URL(issuer).hostname)) {
    problems.push("AUTH_ISSUER must begin with https:// in production.");
  }
  if (read.MASTER_KEY !== undefined && isWeak(Buffer.from(read.MASTER_KEY, "base64"))) {
    problems.push("MASTER_KEY is too regular to be random: make one with openssl rand -base64 32.");
  }
  if (read.OPERATOR_KEY !== undefined && new Set(read.OPERATOR_KEY).size < 12) {
    problems.push("OPERATOR_KEY is too regular to be random: make one with openssl rand -hex 32.");
  }
  return problems;
}

/** A random key of 32 bytes has fewer than 20 different values about once in 10^13 keys. */
function isWeak(key: Buffer): boolean {
  return new Set(key).size < 20;
}
