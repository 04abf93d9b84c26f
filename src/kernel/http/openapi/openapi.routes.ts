import { createHash } from "node:crypto";
import Type from "typebox";
import type { Runtime } from "../../runtime.ts";
import { Asset } from "../asset.ts";
import { answer, defineRoute, type Route } from "../route.ts";
import type { OpenApiDocument } from "./build.ts";
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

type Published = { readonly place: string; readonly asset: Asset; readonly version: string };

export type DocumentPlace = { readonly baseUrl: string; readonly tokenSource?: TokenSource };

/** `/openapi.json`. The document is made at the first request: a start does not wait for it. */
export function createOpenApiRoutes(
  findPlace: (runtime: Runtime) => Promise<DocumentPlace>,
  getDocument: (place: DocumentPlace) => OpenApiDocument,
): Route[] {
  let published: Published | undefined;
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
        const place = await findPlace(runtime);
        const name = JSON.stringify(place);
        // Tests run several applications in one process, each under its own address.
        if (published?.place !== name) published = publish(name, getDocument(place));
        return answer(published.asset, {
          status: 200,
          version: published.version,
          headers: {
            "cache-control": "public, no-cache",
            // Any page may read what is public, and editors and generators in browsers do.
            "access-control-allow-origin": "*",
          },
        });
      },
    }),
  ];
}

function publish(place: string, document: OpenApiDocument): Published {
  const bytes = Buffer.from(JSON.stringify(document));
  const version = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return {
    place,
    asset: new Asset("application/json; charset=utf-8", "identity", bytes),
    version,
  };
}
