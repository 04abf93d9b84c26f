import type { Config } from "./config.ts";
import type { Demo } from "./demo.ts";

export type FirstStart = {
  /** Undefined if the key was configured: its owner knows it. */
  readonly operatorKey: string | undefined;
  readonly demo: Demo | undefined;
};

type Told = Pick<Config, "baseUrl" | "dataDir" | "environment" | "roles" | "simulator">;

type Facts = {
  readonly config: Told;
  readonly version: string;
  /** The address of the API; undefined in a process without it. */
  readonly url: string | undefined;
  /** Set on the very first start of an installation. */
  readonly firstStart: FirstStart | undefined;
  /** Set as long as nobody can sign in yet. */
  readonly signInLink: string | undefined;
};

/** Writes what a person at the terminal needs at the first start; later starts say little. */
export function renderBanner({ config, version, url, firstStart, signInLink }: Facts): string {
  const { baseUrl, environment, roles } = config;
  const place = url === undefined ? `as ${[...roles].join(", ")}` : `on ${baseUrl}`;
  const lines = [`Billfold ${version} (${environment}) is running ${place}.`];
  const rows: [string, string][] = [];
  if (url !== undefined && firstStart !== undefined) {
    rows.push(["Console", `${baseUrl}/console`]);
    rows.push(["API", `${baseUrl}/api/`], ["API reference", `${baseUrl}/docs`]);
  }
  if (url !== undefined && signInLink !== undefined) {
    rows.push(["First sign-in", `${signInLink}  (one use, 24 hours)`]);
  }
  rows.push(...keyRows(config, firstStart));
  if (rows.length > 0)
    lines.push("", ...rows.map(([label, value]) => `  ${label.padEnd(14)} ${value}`));
  if (firstStart?.demo !== undefined)
    lines.push("", "Try it:", ...tryLines(baseUrl, firstStart.demo).map((line) => `  ${line}`));
  return `${lines.join("\n")}\n`;
}

function keyRows(
  { baseUrl, dataDir, environment, roles, simulator }: Told,
  firstStart: FirstStart | undefined,
): [string, string][] {
  const rows: [string, string][] = [];
  if (firstStart?.operatorKey !== undefined) {
    const file = `${dataDir}/operator.key`;
    // In production the key is not printed, because the output is usually collected and stored.
    const isTold = environment !== "production";
    const value = isTold ? `${firstStart.operatorKey}  (also in ${file})` : `in ${file}`;
    rows.push(["Operator key", value]);
  }
  if (firstStart?.demo !== undefined) {
    const { tenantId, token, landing } = firstStart.demo;
    rows.push(["Demo key", `${token}  (tenant ${tenantId}, shown once)`]);
    if (simulator && roles.has("api")) rows.push(["Demo pass", phonesAddress(baseUrl, landing)]);
  }
  return rows;
}

/** Opened in a browser, this address puts the pass on two virtual phones. */
function phonesAddress(baseUrl: string, landing: string): string {
  return `${baseUrl}/simulator#add=${encodeURIComponent(landing)}`;
}

/** Each command works as printed. A number that already has a card returns that card. */
function tryLines(baseUrl: string, { tenantId, token }: Demo): string[] {
  const curl = `curl -H 'X-API-KEY: ${token}'`;
  const sent = {
    identifiers: { "loyalty.number": "1001" },
    additionalData: { firstName: "Camille" },
  };
  const made = `-H 'Content-Type: application/json' -d '${JSON.stringify(sent)}'`;
  const passes = `${baseUrl}/api/${tenantId}/passes?passType=loyalty&onConflict=return`;
  return [`${curl} ${baseUrl}/api/${tenantId}/passes`, `${curl} ${made} '${passes}'`];
}
