import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { ConfigError, loadConfig } from "./config.ts";

const MASTER_KEY = randomBytes(32).toString("base64");
const OTHER_KEY = randomBytes(32).toString("base64");
const PRODUCTION = { ENVIRONMENT: "production", MASTER_KEY, BASE_URL: "https://wallet.example" };

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

describe("settings", () => {
  it("needs none of them", () => {
    assert.deepEqual(loadConfig({}), {
      port: 8080,
      host: "127.0.0.1",
      baseUrl: "http://localhost:8080",
      dataDir: "./data",
      databaseUrl: undefined,
      databasePoolSize: 10,
      environment: "staging",
      operatorKey: undefined,
      masterKeys: [],
      authIssuer: undefined,
      authClientId: undefined,
      roles: new Set(["api", "worker", "sftp"]),
      sftpPort: 2222,
      metricsPort: undefined,
      demo: true,
      trustedProxies: 0,
      egressAllow: [],
      apnsUrl: undefined,
      googleWalletUrl: undefined,
      simulator: true,
      logLevel: "warn",
    });
  });

  it("reads each of them", () => {
    const config = loadConfig({
      PORT: "9000",
      HOST: "0.0.0.0",
      BASE_URL: "https://wallet.example/base/",
      DATA_DIR: "/var/lib/billfold",
      DATABASE_URL: "postgres://db/billfold",
      DATABASE_POOL_SIZE: "40",
      ENVIRONMENT: "production",
      OPERATOR_KEY: "0123456789abcdefghijklmnopqrstuv",
      MASTER_KEY,
      MASTER_KEY_PREVIOUS: OTHER_KEY,
      AUTH_ISSUER: "https://login.example/",
      AUTH_CLIENT_ID: "billfold-docs",
      ROLES: "api,worker",
      SFTP_PORT: "22",
      METRICS_PORT: "9100",
      DEMO: "1",
      TRUST_PROXY: "2",
      EGRESS_ALLOW: "10.1.0.0/16, fd12::/48",
      APNS_URL: "https://push.example:2197/",
      GOOGLE_WALLET_URL: "https://google.example/wallet/",
      SIMULATOR: "1",
      LOG_LEVEL: "debug",
    });

    assert.deepEqual(config, {
      port: 9000,
      host: "0.0.0.0",
      baseUrl: "https://wallet.example/base",
      dataDir: "/var/lib/billfold",
      databaseUrl: "postgres://db/billfold",
      databasePoolSize: 40,
      environment: "production",
      operatorKey: "0123456789abcdefghijklmnopqrstuv",
      masterKeys: [Buffer.from(MASTER_KEY, "base64"), Buffer.from(OTHER_KEY, "base64")],
      authIssuer: "https://login.example",
      authClientId: "billfold-docs",
      roles: new Set(["api", "worker"]),
      sftpPort: 22,
      metricsPort: 9100,
      demo: true,
      trustedProxies: 2,
      egressAllow: ["10.1.0.0/16", "fd12::/48"],
      apnsUrl: "https://push.example:2197",
      googleWalletUrl: "https://google.example/wallet",
      simulator: false,
      logLevel: "debug",
    });
  });

  it("takes an empty one for one that is not set", () => {
    const empty = Object.fromEntries(
      ["PORT", "BASE_URL", "DATABASE_URL", "MASTER_KEY", "ROLES", "DEMO"].map((name) => [name, ""]),
    );
    assert.deepEqual(loadConfig(empty), loadConfig({}));
  });

  it("has a simulator in staging where others do not come, or where it is wanted", () => {
    assert.equal(loadConfig({ HOST: "0.0.0.0" }).simulator, false);
    assert.equal(loadConfig({ HOST: "0.0.0.0", SIMULATOR: "1" }).simulator, true);
    assert.equal(loadConfig({ SIMULATOR: "0" }).simulator, false);
    assert.equal(loadConfig({ ...PRODUCTION, SIMULATOR: "1" }).simulator, false);
  });

  it("follows PORT with the address it makes links from", () => {
    assert.equal(loadConfig({ PORT: "9000" }).baseUrl, "http://localhost:9000");
  });

  const wrong: Record<string, readonly string[]> = {
    PORT: ["http", "-1", "65536", "80.5", " "],
    BASE_URL: ["wallet.example", "ftp://x", "https://x/?q", "https://x/#f", "https://a@x/"],
    DATABASE_URL: ["mysql://db/x", "db", "postgres://a b"],
    DATABASE_POOL_SIZE: ["1", "501", "many"],
    ENVIRONMENT: ["prod", "Production"],
    OPERATOR_KEY: ["short", "x".repeat(31), "x".repeat(256), `${"x".repeat(40)} y`],
    MASTER_KEY: ["short", MASTER_KEY.slice(0, -1), `${MASTER_KEY}=`],
    MASTER_KEY_PREVIOUS: ["short"],
    AUTH_ISSUER: ["login.example"],
    ROLES: ["web", "api,", "api worker"],
    SFTP_PORT: ["70000"],
    METRICS_PORT: ["x"],
    DEMO: ["yes", "2", "true"],
    TRUST_PROXY: ["11", "-1"],
    APNS_URL: ["push.example", "http://push.example", "https://push.example/3/device"],
    SIMULATOR: ["yes"],
    GOOGLE_WALLET_URL: ["google.example", "https://google.example/?a=b"],
    EGRESS_ALLOW: [
      "10.1.2.3",
      "10.0.0.0/33",
      "10/8",
      "fd12::/129",
      "10.0.0.0/8,",
      "internal.example",
    ],
    LOG_LEVEL: ["loud"],
  };
  for (const [name, values] of Object.entries(wrong)) {
    it(`refuses a wrong ${name} by its name and never by its value`, () => {
      for (const value of values) {
        const problems = problemsOf({ [name]: value });
        assert.equal(problems.length, 1, `${name}=${value}`);
        assert.match(problems[0] ?? "", new RegExp(`^${name} must be `));
        if (value.length > 6) assert.ok(!(problems[0] ?? "").includes(value));
      }
    });
  }

  it("has no use for a client without an issuer that knows it", () => {
    const problems = problemsOf({ AUTH_CLIENT_ID: "docs" });
    assert.match(problems.join(), /^AUTH_CLIENT_ID only goes with AUTH_ISSUER/);
  });

  it("reports all problems together, one line each", () => {
    const env = { PORT: "x", DEMO: "x", ENVIRONMENT: "production" };
    assert.deepEqual(
      problemsOf(env).map((line) => line.split(" ")[0]),
      ["PORT", "DEMO", "MASTER_KEY", "BASE_URL"],
    );
    assert.throws(() => loadConfig(env), {
      message:
        /^Billfold cannot start:\n {2}PORT .*\n {2}DEMO .*\n {2}MASTER_KEY .*\n {2}BASE_URL .*$/,
    });
  });
});

describe("settings in production", () => {
  it("make nothing up: quieter, without a demo, with the key that was given", () => {
    const config = loadConfig(PRODUCTION);

    assert.equal(config.demo, false);
    assert.equal(config.logLevel, "info");
    assert.equal(config.masterKeys.length, 1);
  });

  it("need a master key that looks random", () => {
    const { MASTER_KEY: _, ...without } = PRODUCTION;
    assert.match(problemsOf(without).join(), /^MASTER_KEY is required/);
    const regular = Buffer.alloc(32, "abc").toString("base64");
    assert.match(problemsOf({ ...PRODUCTION, MASTER_KEY: regular }).join(), /too regular/);
    assert.match(
      problemsOf({ ...PRODUCTION, OPERATOR_KEY: "ab".repeat(20) }).join(),
      /too regular/,
    );
  });

  it("need a public address, and https in it", () => {
    const { BASE_URL: _, ...without } = PRODUCTION;
    for (const env of [without, { ...without, BASE_URL: "" }]) {
      assert.match(problemsOf(env).join(), /^BASE_URL is required in production: .*https/);
    }
    for (const BASE_URL of [
      "http://wallet.example",
      "http://10.0.0.1:8080",
      "http://localhost:8080",
      "http://127.0.0.1",
      "http://[::1]:8080",
    ]) {
      assert.deepEqual(problemsOf({ ...PRODUCTION, BASE_URL }), [
        "BASE_URL must begin with https:// in production.",
      ]);
    }
  });

  it("need https for an issuer that is not on this machine", () => {
    for (const AUTH_ISSUER of ["http://login.example", "http://127.login.example"]) {
      assert.match(problemsOf({ ...PRODUCTION, AUTH_ISSUER }).join(), /^AUTH_ISSUER must begin/);
    }
    assert.deepEqual(problemsOf({ ...PRODUCTION, AUTH_ISSUER: "http://localhost:9000" }), []);
  });
});
