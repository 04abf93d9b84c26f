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

/** As a device asks for a pass which it holds: with the token that proves it. */
export const unchangedPassOnDevice = unchangedLine(
  "unchanged pass, by the device",
  ({ tenantId, passTypeIdentifier }, { passId, token }) => ({
    path: `/.well-known/wallet/${tenantId}/v1/passes/${passTypeIdentifier}/${passId}`,
    headers: { authorization: `ApplePass ${token}` },
  }),
);

/** As a person downloads the pass from its landing page. */
export const unchangedPassOnPage = unchangedLine(
  "unchanged pass, by the landing page",
  ({ tenantId }, { passId, secret }) => ({
    path: `/p/${tenantId}/${passId}.${secret}/pass.pkpass`,
    headers: {},
  }),
);

/** The same bundle again and again: signed once, and still looked up each time. */
function unchangedLine(name: string, ask: (tenant: AppleTenant, held: HeldPass) => Ask): Line {
  return defineLine({
    name,
    measures: {
      throughput: { unit: "requests/s", bar: { of: "ratio", atLeast: 0.5 } },
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
        body: first[0] ?? "",
      });
      let turn = 0;
      const next = (): Ask => {
        turn += 1;
        return asks[turn % asks.length] ?? { path: "/", headers: {} };
      };
      return {
        async ours() {
          const sample = await runLoad({ url: stage.url, expectedStatus: 200, vary: next });
          const again = await downloadAll(stage, asks);
          const isSame = again.every((bytes, at) => first[at]?.equals(bytes));
          if (!isSame) throw new Error("An unchanged pass was signed again.");
          return sample;
        },
        baselines: {
          "Fastify, a static file": () => {
            const vary = () => ({ path: "/file", headers: next().headers });
            return runLoad({ url: file.url, expectedStatus: 200, vary });
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

async function downloadAll({ url }: AppleStage, asks: readonly Ask[]): Promise<Buffer[]> {
  const bundles: Buffer[] = [];
  for (const { path, headers } of asks) {
    const answer = await fetch(`${url}${path}`, { headers, redirect: "manual" });
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}.`);
    bundles.push(Buffer.from(await answer.arrayBuffer()));
  }
  return bundles;
}
