import type { FastifyInstance } from "fastify";
import { Call } from "#kernel/call.ts";
import { isTenantId } from "#kernel/db/scope.ts";
import { ProblemError } from "#kernel/errors.ts";
import { ANONYMOUS } from "#kernel/http/anonymous.ts";
import { problem } from "#kernel/http/problem.ts";
import { perRuntime } from "#kernel/per-runtime.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { tenantNotFound } from "#kernel/tenant.errors.ts";
import { AddressCounter } from "#src/access/public.ts";
import { takeCallback } from "./callback.service.ts";

const OP = "google-callback.take";
const BODY_BYTES_MAX = 64 * 1024;

/** Refused callbacks of one network and minute. Those that Google signed are never counted. */
const REFUSALS_PER_MINUTE_MAX = 60;
const refusalsIn = perRuntime(
  () => new AddressCounter(REFUSALS_PER_MINUTE_MAX, () => performance.now()),
);

type Address = { Params: { tenantId: string } };

/** The address that classes name as the one for callbacks. */
export function plugCallbacks(app: FastifyInstance, runtime: Runtime): void {
  const url = "/.well-known/wallet/:tenantId/google/callback";
  const options = { bodyLimit: BODY_BYTES_MAX, config: { op: OP } };
  app.post<Address>(url, options, async (request, reply) => {
    const { tenantId } = request.params;
    if (!isTenantId(tenantId)) throw tenantNotFound({ tenantId });
    const refusals = refusalsIn(runtime);
    requireFewRefusals(refusals, request.ip);
    request.state.tenantId = tenantId;
    const { requestId } = request.state;
    const origin = { tenantId, actor: ANONYMOUS, requestId, op: OP, ip: request.ip };
    const context = new Call(runtime, origin);
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    try {
      await takeCallback(context, body);
    } catch (error) {
      if (isRefusal(error)) refusals.record(request.ip);
      throw error;
    }
    return await reply.code(204).send();
  });
}

function requireFewRefusals(refusals: AddressCounter, ip: string): void {
  if (!refusals.isExhausted(ip)) return;
  const headers = { "retry-after": String(refusals.secondsLeft(ip)) };
  throw problem("rateLimited", "Too many refused callbacks from this address.", { headers });
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && error.status < 500;
}
