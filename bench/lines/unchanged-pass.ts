import {
  type AppleStage,
  type AppleTenant,
  type HeldPass,
  openAppleStage,
} from "../support/apple-stage.ts";
import { defineLine, type Line } from "../support/line.ts";
import { runLoad } from "../support/load.ts";
import { scaled } from "../support/scale.ts";

const TENANT = "unchanged";
/** Asked for one after the other, so that no single row is all that the database has to know. */
const PASSES = 200;
/** Their numbers: one in fifty is disabled, and nobody can download such a pass. */
const ACTIVE = Array.from({ length: PASSES }, (_, index) => index).filter((n) => n % 50 !== 7);

type Ask = { readonly path: string; readonly headers: Record<string, string> };
type Asks = (tenant: AppleTenant, held: HeldPass) => Ask;

const byDevice: Asks = ({ tenantId, passTypeIdentifier }, { passId, token }) => ({
  path: `/.well-known/wallet/${tenantId}/v1/passes/${passTypeIdentifier}/${passId}`,
  headers: { authorization: `ApplePass ${token}` },
});

const byPage: Asks = ({ tenantId }, { passId, secret }) => ({
  path: `/p/${tenantId}/${passId}.${secret}/pass.pkpass`,
  headers: {},
});

const FILE = ["Fastify, a static file", "/file"] as const;
const BUFFER = ["Fastify, a buffer", "/buffer"] as const;

/** As a device asks for a pass which it holds: with the token that proves it. */
export const unchangedPassOnDevice = unchangedLine("by the device", byDevice, FILE, 0.5);

/** As a person downloads the pass from its landing page. */
export const unchangedPassOnPage = unchangedLine("by the landing page", byPage, FILE, 0.5);

/** The device again, beside what nobody can serve faster: no file is opened for each answer. */
export const unchangedPassBuffer = unchangedLine("beside a buffer", byDevice, BUFFER, 0.3);

/** What phones mostly get: they have the pass already. The baseline asks no database and checks no token. */
export const unchangedPassKnown = unchangedLine(
  "which the device has (304)",
  byDevice,
  BUFFER,
  0.08,
  true,
);

/** The same bundle again and again: signed once, and still looked up each time. */
function unchangedLine(
  name: string,
  ask: Asks,
  [baseline, path]: readonly [name: string, path: string],
  atLeast: number,
  isKnown = false,
): Line {
  return defineLine({
    name: `unchanged pass, ${name}`,
    measures: {
      throughput: { unit: "requests/s", bar: { of: "ratio", atLeast } },
      p99: { unit: "ms" },
    },
    rounds: 5,
    async prepare(bench) {
      const stage = await openAppleStage(bench);
      const tenant = await tenantOf(stage);
      const asks = ACTIVE.map((index) => ask(tenant, tenant.held(index)));
      const first = await downloadAll(stage, asks);
      const file = await bench.baseline("file-server.ts");
      await fetch(`${file.url}/file`, {
        method: "PUT",
        headers: { "content-type": "application/octet-stream" },
        body: first[0]?.bytes ?? "",
      });
      const [kept] = await downloadAll(file, [{ path: "/buffer", headers: {} }]);
      const expectedStatus = isKnown ? 304 : 200;
      const since = (modified = "") => (isKnown ? { "if-modified-since": modified } : undefined);
      const known = asks.map(({ headers, ...one }, at) => ({
        ...one,
        headers: { ...headers, ...since(first[at]?.modified) },
      }));
      let turn = 0;
      const next = (): Ask => {
        turn += 1;
        return known[turn % known.length] ?? { path: "/", headers: {} };
      };
      return {
        async ours() {
          const sample = await runLoad({ url: stage.url, expectedStatus, vary: next });
          const again = await downloadAll(stage, asks);
          const isSame = again.every(({ bytes }, at) => first[at]?.bytes.equals(bytes));
          if (!isSame) throw new Error("An unchanged pass was signed again.");
          return sample;
        },
        baselines: {
          [baseline]: () => {
            const vary = () => ({ path, headers: { ...next().headers, ...since(kept?.modified) } });
            return runLoad({ url: file.url, expectedStatus, vary });
          },
        },
      };
    },
  });
}

let made: Promise<AppleTenant> | undefined;

function tenantOf(stage: AppleStage): Promise<AppleTenant> {
  made ??= stage.createTenant(TENANT, scaled(10_000, PASSES));
  return made;
}

type Downloaded = { readonly bytes: Buffer; readonly modified: string };

async function downloadAll({ url }: { readonly url: string }, asks: readonly Ask[]) {
  const bundles: Downloaded[] = [];
  for (const { path, headers } of asks) {
    const answer = await fetch(`${url}${path}`, { headers, redirect: "manual" });
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}.`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    bundles.push({ bytes, modified: answer.headers.get("last-modified") ?? "" });
  }
  return bundles;
}
