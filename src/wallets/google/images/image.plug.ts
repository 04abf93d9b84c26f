import type { FastifyInstance } from "fastify";
import { Call } from "#kernel/call.ts";
import type { TenantContext } from "#kernel/context.ts";
import { isTenantId } from "#kernel/db/scope.ts";
import { ANONYMOUS } from "#kernel/http/anonymous.ts";
import { problem } from "#kernel/http/problem.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { fittedImage } from "#src/templates/public.ts";
import { findContentOf } from "#src/tenants/public.ts";
import { findPublicImage } from "./image.service.ts";

const OP = "google-image.get";
const NAME = /^[0-9a-f]{32}\.png$/;
/** The name follows from the content, so a copy is right for ever. */
const CACHED = "public, max-age=31536000, immutable";

type Address = { Params: { tenantId: string; name: string } };

/** Google fetches the pictures of classes and objects itself, without any credential. */
export function plugImages(app: FastifyInstance, runtime: Runtime): void {
  app.get<Address>("/p/:tenantId/images/:name", async (request, reply) => {
    const { tenantId, name } = request.params;
    const { requestId } = request.state;
    const origin = { tenantId, actor: ANONYMOUS, requestId, op: OP, ip: request.ip };
    const isKnown = isTenantId(tenantId) && NAME.test(name);
    const bytes = isKnown ? await findImage(new Call(runtime, origin), name) : undefined;
    if (bytes === undefined) throw problem("routeNotFound", "There is no such picture.");
    return await reply
      .header("content-type", "image/png")
      .header("cache-control", CACHED)
      .header("x-content-type-options", "nosniff")
      .send(bytes);
  });
}

async function findImage(context: TenantContext, file: string): Promise<Buffer | undefined> {
  const image = await findPublicImage(context, file.replace(".png", ""));
  if (image === undefined) return undefined;
  const { sourceHash, slot } = image;
  const read = async () => {
    const source = await findContentOf(
      context.runtime,
      context.tenantId,
      Buffer.from(sourceHash, "hex"),
    );
    if (source === undefined) throw problem("routeNotFound", "There is no such picture.");
    return source;
  };
  const { bytes } = await fittedImage(context, sourceHash, read, slot, 1);
  return bytes;
}
