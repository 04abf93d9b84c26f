import { createHash } from "node:crypto";
import Type from "typebox";
import { answer, defineRoute, type Route } from "../route.ts";
import type { OpenApiDocument } from "./build.ts";

const OpenApiView = Type.Object(
  {
    openapi: Type.String({ examples: ["3.1.1"] }),
    info: Type.Object({
      title: Type.String({ examples: ["Billfold API"] }),
      version: Type.String({ examples: ["1.0.0"] }),
    }),
    paths: Type.Record(Type.String(), Type.Unknown(), { examples: [{}] }),
  },
  { title: "OpenApiDocument", additionalProperties: true },
);

type Published = { readonly baseUrl: string; readonly bytes: Buffer; readonly version: string };

/** `/openapi.json`. The document is made at the first request: a start does not wait for it. */
export function createOpenApiRoutes(getDocument: (baseUrl: string) => OpenApiDocument): Route[] {
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
      handle({ runtime: { baseUrl } }) {
        // Tests run several applications in one process, each under its own address.
        if (published?.baseUrl !== baseUrl) published = publish(baseUrl, getDocument(baseUrl));
        return answer(published.bytes, {
          status: 200,
          version: published.version,
          headers: {
            "content-type": "application/json; charset=utf-8",
            "cache-control": "public, no-cache",
            // Any page may read what is public, and editors and generators in browsers do.
            "access-control-allow-origin": "*",
          },
        });
      },
    }),
  ];
}

function publish(baseUrl: string, document: OpenApiDocument): Published {
  const bytes = Buffer.from(JSON.stringify(document));
  const version = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return { baseUrl, bytes, version };
}
