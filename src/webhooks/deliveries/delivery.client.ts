import { EgressError } from "#kernel/egress/egress-error.ts";
import type { GuardedAnswer } from "#kernel/egress/guarded-exchange.ts";
import { RequestTicket } from "#kernel/egress/request-ticket.ts";
import { messageOf } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { writeEnvelope } from "#src/events/public.ts";
import { openSecret } from "../webhook.secret.ts";
import { presentResponse } from "./delivery.response.ts";
import { sentOf } from "./delivery.sample.ts";
import type {
  AttemptTrigger,
  ClaimedDelivery,
  DeliveryAttempt,
  DeliveryTarget,
} from "./delivery.schema.ts";
import { deliveryHeaders, makeSigningKey, type SigningKey } from "./delivery.signature.ts";

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 65_536;
/** Receivers have limits of their own; many of them refuse bodies that are larger than this. */
export const BODY_BYTES_MAX = 262_144;

export type AttemptResult = {
  readonly attempt: DeliveryAttempt;
  readonly retryAfter: string | undefined;
  readonly timedOut: boolean;
  /** True if nothing was sent and the receiver is not at fault: the attempt does not count. */
  readonly isVoid: boolean;
  /** True if no further attempt can have another result. */
  readonly isHopeless: boolean;
};

/**
 * Made once for all deliveries that were claimed together, because decrypting a secret takes longer
 * than signing with it.
 */
type PreparedTarget = {
  readonly keys: readonly SigningKey[];
  /** An endpoint that hangs must not use up the connections of another one on the same host. */
  readonly group: string;
};

type Failure = { readonly code: string; readonly message: string };

const EVENT_GONE: Failure = {
  code: "delivery.event-gone",
  message: "The event was kept as long as the tenant's settings say, and is gone.",
};
const BODY_TOO_LARGE: Failure = {
  code: "delivery.body-too-large",
  message: `The body is larger than ${BODY_BYTES_MAX} bytes. Read the event at GET /events.`,
};
const SECRET_UNREADABLE: Failure = {
  code: "delivery.secret-unreadable",
  message: "The secret of the webhook cannot be read. Delete the webhook and create it again.",
};

/**
 * Sends one POST to a customer's endpoint and reports the result. Never throws because of the
 * endpoint.
 */
export class DeliveryClient {
  readonly #runtime: Runtime;
  readonly #prepared = new WeakMap<DeliveryTarget, PreparedTarget>();
  #writtenMs = 0;
  #writtenTime = "";

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** An attempt that was called off or did not start in time counts as not made. */
  async attempt(
    delivery: ClaimedDelivery,
    trigger: AttemptTrigger,
    ticket: RequestTicket = new RequestTicket(),
  ): Promise<AttemptResult> {
    const { egress, environment } = this.#runtime;
    const { target } = delivery;
    const startedAt = performance.now();
    // Receivers refuse old signatures, so the time comes from the database's clock and not from
    // this machine's.
    const nowMs = target.clockMs + startedAt;
    const at = this.#writeTime(nowMs);
    const giveUp = (failure: Failure) =>
      hopeless({ at, trigger, request: { url: target.endpoint, headers: {} } }, failure);
    if (delivery.event === undefined) return giveUp(EVENT_GONE);
    const event = sentOf(delivery.event);
    const body = Buffer.from(writeEnvelope(event, environment));
    if (body.length > BODY_BYTES_MAX) return giveUp(BODY_TOO_LARGE);
    const prepared = this.#prepare(delivery);
    if (prepared === undefined) return giveUp(SECRET_UNREADABLE);
    const { keys, group } = prepared;

    const headers = deliveryHeaders({
      eventId: event.id,
      eventName: event.name,
      tenantId: delivery.tenantId,
      isTest: event.isTest === true,
      timestampSeconds: Math.floor(nowMs / 1_000),
      body,
      keys,
    });
    const sent = { at, trigger, request: { url: target.endpoint, headers: keep(headers) } };
    try {
      const answer = await egress.request(target.endpoint, {
        method: "POST",
        headers,
        body,
        timeoutMs: TIMEOUT_MS,
        bodyBytesMax: ANSWER_BYTES_MAX,
        group,
        ticket,
      });
      return answered(sent, answer);
    } catch (error) {
      const durationMs = Math.round(performance.now() - startedAt);
      return unanswered(sent, durationMs, error, ticket.isUnderWay);
    }
  }

  /** The time as text, formatted once for all attempts in the same millisecond. */
  #writeTime(ms: number): string {
    const whole = Math.floor(ms);
    if (whole !== this.#writtenMs) {
      this.#writtenMs = whole;
      this.#writtenTime = new Date(whole).toISOString();
    }
    return this.#writtenTime;
  }

  /** Returns undefined if the secret cannot be read. */
  #prepare({ tenantId, webhookId, target }: ClaimedDelivery): PreparedTarget | undefined {
    const known = this.#prepared.get(target);
    if (known !== undefined) return known;
    const open = (sealed: Buffer) => openSecret(this.#runtime.sealer, tenantId, webhookId, sealed);
    const current = open(target.sealedSecret);
    if (current === undefined) return undefined;
    const former = target.formerSecrets.map(open).filter((secret) => secret !== undefined);
    const keys = [current, ...former].map(makeSigningKey);
    const prepared = { keys, group: `${tenantId} ${webhookId}` };
    this.#prepared.set(target, prepared);
    return prepared;
  }
}

/** The headers that differ between attempts; the documentation of the event describes the others. */
function keep(headers: Record<string, string>): Record<string, string> {
  return {
    "webhook-timestamp": headers["webhook-timestamp"] ?? "",
    "webhook-signature": headers["webhook-signature"] ?? "",
    "x-service-signature": headers["x-service-signature"] ?? "",
  };
}

/** A header that was sent twice is an array, although its type does not say so. */
function onlyOne(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

type Told = Pick<DeliveryAttempt, "at" | "trigger" | "request">;

function answered(told: Told, answer: GuardedAnswer): AttemptResult {
  const { at, trigger, request } = told;
  const { status, headers, timing } = answer;
  const { connectMs, totalMs } = timing;
  const durationMs = Math.round(totalMs);
  const response = presentResponse(answer);
  const attempt = { at, trigger, request, durationMs, status, error: null, response };
  return {
    attempt: connectMs === undefined ? attempt : { ...attempt, connectMs: Math.round(connectMs) },
    retryAfter: onlyOne(headers["retry-after"]),
    timedOut: false,
    isVoid: false,
    isHopeless: false,
  };
}

function unanswered(
  told: Told,
  durationMs: number,
  error: unknown,
  isUnderWay: boolean,
): AttemptResult {
  const known = error instanceof EgressError ? error : undefined;
  const timedOut = known?.code === "egress.timeout";
  return {
    attempt: {
      ...told,
      durationMs,
      status: null,
      error: { code: known?.code ?? "egress.closed", message: messageOf(error) },
      response: null,
    },
    retryAfter: undefined,
    timedOut,
    isVoid: known === undefined || isOurs(known, durationMs, isUnderWay),
    isHopeless: false,
  };
}

/**
 * True if nothing was sent and the endpoint is not the cause. A slow endpoint is not such a case:
 * connecting has a much shorter time limit than the attempt.
 */
function isOurs({ code }: EgressError, durationMs: number, isUnderWay: boolean): boolean {
  if (code === "egress.timeout") return !isUnderWay && durationMs >= TIMEOUT_MS;
  return code === "egress.busy" || code === "egress.closed";
}

function hopeless(told: Told, error: Failure): AttemptResult {
  return {
    attempt: { ...told, durationMs: 0, status: null, error, response: null },
    retryAfter: undefined,
    timedOut: false,
    isVoid: false,
    isHopeless: true,
  };
}
