type Line = readonly [left: string, right: string];

const COMMANDS: readonly Line[] = [
  ["npm start", "run the product; Ctrl-C stops it"],
  ["npm run migrate", "only bring the database to the newest schema"],
  ["npm start -- --help", "this text"],
  ["npm start -- --version", "the version"],
];

/** All settings in a few words; the README explains them in full. */
const SETTINGS: readonly Line[] = [
  ["PORT, HOST", "where the API listens: 8080, 127.0.0.1"],
  ["BASE_URL", "the public address: http://localhost:<PORT>"],
  ["DATA_DIR", "folder of the embedded database and of generated keys: ./data"],
  ["DATABASE_URL", "a PostgreSQL 15 or newer to use instead of the embedded one"],
  ["DATABASE_POOL_SIZE", "connections for requests: 10"],
  ["ENVIRONMENT", "staging or production: staging"],
  ["OPERATOR_KEY", "key of the Global Administrator: made at the first start"],
  ["MASTER_KEY", "32 bytes in base64: made at the first start; required in production"],
  ["MASTER_KEY_PREVIOUS", "the key before, while the master key is changed"],
  ["AUTH_ISSUER", "an OpenID issuer instead of the built-in authorization server"],
  ["AUTH_CLIENT_ID", "client_id of /console and /docs at that issuer, so that people can sign in"],
  ["ROLES", "which parts this process runs: api,worker,sftp"],
  ["METRICS_PORT", "/metrics and /api/warmup on a port of their own, without a key"],
  ["SFTP_PORT", "the file drop: 2222"],
  ["TRUST_PROXY", "how many reverse proxies stand in front: 0"],
  ["EGRESS_ALLOW", "private networks that tenants may have called"],
  ["APNS_URL", "the push service of Apple Wallet elsewhere than at Apple"],
  ["GOOGLE_WALLET_URL", "the services of Google Wallet elsewhere than at Google"],
  ["SIMULATOR", "1 has virtual phones in staging, 0 does not: 1 if HOST is this machine"],
  ["DEMO", "1 makes the demo tenant on an empty database, 0 does not"],
  ["LOG_LEVEL", "silent, error, warn, info or debug"],
];

export function renderHelp(version: string): string {
  return [
    `Billfold ${version} issues and manages Apple Wallet and Google Wallet passes.`,
    "",
    ...COMMANDS.map(([left, right]) => `  ${left.padEnd(24)} ${right}`),
    "",
    "Settings are environment variables: PORT=9000 npm start",
    "",
    ...SETTINGS.map(([left, right]) => `  ${left.padEnd(20)} ${right}`),
    "",
    "README.md says more about each of them.",
    "",
  ].join("\n");
}
