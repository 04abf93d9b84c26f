import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import Type from "typebox";
import type { Runtime } from "../../runtime.ts";
import { Asset } from "../asset.ts";
import { answer, defineRoute, type Route } from "../route.ts";
import type { OpenApiDocument, OpenApiSteps } from "./build.ts";
import type { TokenSource } from "./security.ts";

const OpenApiView = Type.Object(
  {
    openapi: Type.String({ examples: ["3.1.1"] }),
    info: Type.Object({
      title: Type.String({ examples: ["Billfold API"] }),
      version: Type.String({ examples: ["v1"] }),
    }),
    paths: Type.Record(Type.String(), Type.Unknown(), { examples: [{}] }),
  },
  { title: "OpenApiDocument", additionalProperties: true },
);

type Published = { readonly asset: Asset; readonly version: string };

/** The addresses in the document that differ between installations. */
export type DocumentAddresses = { readonly baseUrl: string; readonly tokenSource?: TokenSource };

/**
 * Time spent on the document in one turn of the event loop. The whole document takes a hundred
 * milliseconds when the process has just started.
 */
const TURN_MS = 5;

/**
 * Serves `/openapi.json`. The document is built once, in steps, when somebody asks for it, and not at
 * every start: many processes are never asked for it.
 */
export function createOpenApiRoutes(
  findAddresses: (runtime: Runtime) => Promise<DocumentAddresses>,
  build: (addresses: DocumentAddresses) => OpenApiSteps,
): Route[] {
  let last: { readonly key: string; readonly published: Promise<Published> } | undefined;
  const find = async (runtime: Runtime): Promise<Published> => {
    const addresses = await findAddresses(runtime);
    const key = JSON.stringify(addresses);
    // Tests run several applications in one process, each under its own address.
    if (last?.key !== key) last = { key, published: publish(build(addresses)) };
    return await last.published;
  };
  return createRoutes(find);
}

function createRoutes(find: (runtime: Runtime) => Promise<Published>): Route[] {
  return [
    defineRoute({
      op: "openapi.read",
      method: "GET",
      url: "/openapi.json",
      scope: "public",
      summary: "This document",
      description: "The OpenAPI 3.1 description of every operation. `/docs` shows it to people.",
      reply: OpenApiView,
      async handle({ runtime }) {
        const { asset, version } = await find(runtime);
        return answer(asset, {
          status: 200,
          version,
          headers: {
            "cache-control": "public, no-cache",
            // The document is public, so any web page may read it; editors and generators in
            // browsers do.
            "access-control-allow-origin": "*",
          },
        });
      },
    }),
  ];
}

async function publish(steps: OpenApiSteps): Promise<Published> {
  const document = await runInTurns(steps);
  await nextTurn();
  const bytes = Buffer.from(JSON.stringify(document));
  const version = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return { asset: new Asset("application/json; charset=utf-8", "identity", bytes), version };
}

async function runInTurns(steps: OpenApiSteps): Promise<OpenApiDocument> {
  let turnEndsAt = performance.now() + TURN_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < turnEndsAt) continue;
    await nextTurn();
    turnEndsAt = performance.now() + TURN_MS;
  }
}
