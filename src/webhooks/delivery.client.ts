import { EgressError } from "#kernel/egress/egress-error.ts";
import type { GuardedAnswer } from "#kernel/egress/guarded-exchange.ts";
import { RequestTicket } from "#kernel/egress/request-ticket.ts";
import { messageOf } from "#kernel/errors.ts";
import type { Runtime } from "#kernel/runtime.ts";
import { writeEnvelope } from "#src/events/public.ts";
import { presentResponse } from "./delivery.response.ts";
import { sentOf } from "./delivery.sample.ts";
import type {
  AttemptTrigger,
  ClaimedDelivery,
  DeliveryAttempt,
  DeliveryTarget,
} from "./delivery.schema.ts";
import { deliveryHeaders } from "./delivery.signature.ts";
import { openSecret } from "./webhook.secret.ts";

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 65_536;
/** Receivers set limits of their own; more than this many of them refuse. */
export const BODY_BYTES_MAX = 262_144;

/** Told in full by the documentation of the event. */
const HEADERS_KEPT = ["webhook-timestamp", "webhook-signature", "x-service-signature"];

export type AttemptResult = {
  readonly attempt: DeliveryAttempt;
  readonly retryAfter: string | undefined;
  readonly timedOut: boolean;
  /** Nothing was sent, through no fault of the receiver: it does not count. */
  readonly isVoid: boolean;
  /** Whatever is tried, it will not be different. */
  readonly isHopeless: boolean;
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

/** One POST to a customer's endpoint, told as it went. Never throws for what the endpoint does. */
export class DeliveryClient {
  readonly #runtime: Runtime;
  /** Opened once for all that were claimed together: opening costs as much as signing. */
  readonly #secrets = new WeakMap<DeliveryTarget, readonly string[]>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Called off, or never begun within its time, it is as if nobody had tried. */
  async attempt(
    delivery: ClaimedDelivery,
    trigger: AttemptTrigger,
    ticket: RequestTicket = new RequestTicket(),
  ): Promise<AttemptResult> {
    const { egress, environment } = this.#runtime;
    const { target } = delivery;
    const startedAt = performance.now();
    // Receivers refuse what is signed too long ago, so it is no matter of this machine's own clock.
    const nowMs = target.clockMs + startedAt;
    const told = { at: new Date(nowMs).toISOString(), trigger };
    const unsent = { ...told, request: { url: target.endpoint, headers: {} } };
    if (delivery.event === undefined) return hopeless(unsent, EVENT_GONE);
    const event = sentOf(delivery.event);
    const body = Buffer.from(writeEnvelope(event, environment));
    if (body.length > BODY_BYTES_MAX) return hopeless(unsent, BODY_TOO_LARGE);
    const secrets = this.#openSecrets(delivery);
    if (secrets === undefined) return hopeless(unsent, SECRET_UNREADABLE);

    const headers = deliveryHeaders({
      eventId: event.id,
      eventName: event.name,
      tenantId: delivery.tenantId,
      isTest: event.isTest === true,
      timestampSeconds: Math.floor(nowMs / 1_000),
      body,
      secrets,
    });
    const sent = { ...told, request: { url: target.endpoint, headers: keep(headers) } };
    try {
      const answer = await egress.request(target.endpoint, {
        method: "POST",
        headers,
        body,
        timeoutMs: TIMEOUT_MS,
        bodyBytesMax: ANSWER_BYTES_MAX,
        // One endpoint that hangs must not keep the connections of another at the same host.
        group: `${delivery.tenantId} ${delivery.webhookId}`,
        ticket,
      });
      return answered(sent, answer);
    } catch (error) {
      const durationMs = Math.round(performance.now() - startedAt);
      return unanswered(sent, durationMs, error, ticket.isUnderWay);
    }
  }

  #openSecrets({ tenantId, webhookId, target }: ClaimedDelivery): readonly string[] | undefined {
    const known = this.#secrets.get(target);
    if (known !== undefined) return known;
    const open = (sealed: Buffer) => openSecret(this.#runtime.sealer, tenantId, webhookId, sealed);
    const current = open(target.sealedSecret);
    if (current === undefined) return undefined;
    const former = target.formerSecrets.map(open).filter((secret) => secret !== undefined);
    const secrets = [current, ...former];
    this.#secrets.set(target, secrets);
    return secrets;
  }
}

function keep(headers: Record<string, string>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of HEADERS_KEPT) kept[name] = headers[name] ?? "";
  return kept;
}

type Told = Pick<DeliveryAttempt, "at" | "trigger" | "request">;

function answered(told: Told, answer: GuardedAnswer): AttemptResult {
  const { status, headers, timing } = answer;
  const { connectMs, totalMs } = timing;
  return {
    attempt: {
      ...told,
      durationMs: Math.round(totalMs),
      ...(connectMs === undefined ? {} : { connectMs: Math.round(connectMs) }),
      status,
      error: null,
      response: presentResponse(answer),
    },
    // Sent twice it is a list, whatever its type says.
    retryAfter: [headers["retry-after"]].flat()[0],
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

/** Nothing was sent and the endpoint has no part in it: connecting alone is given up much sooner. */
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
