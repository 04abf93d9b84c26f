import type { Static, TSchema } from "typebox";
import type { PLATFORM_SCOPE, SystemContext, TenantContext } from "../context.ts";
import type { ProblemKind } from "../errors.ts";
import type { ListQuery, ListSpec } from "./list-query.ts";

/** The API key form of a scope: `Webhook.Read`. */
export type ScopeName = `${string}.${string}`;

/** Who may call: holders of a scope in its tenant, Global Administrators with theirs, or anyone at all. */
export type RouteScope = ScopeName | typeof PLATFORM_SCOPE | "public";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type ContextOf<Url extends string> = Url extends `${string}:tenantId${string}`
  ? TenantContext
  : SystemContext;

/**
 * A scope is held within one tenant. Where the address names none, it would let any tenant's key in
 * to what belongs to all.
 */
type ScopeOf<Url extends string> = Url extends `${string}:tenantId${string}`
  ? RouteScope
  : Exclude<RouteScope, ScopeName>;

type Parsed<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export type RouteInput<Params, Query, Body> = {
  readonly params: Parsed<Params>;
  readonly query: Parsed<Query>;
  readonly body: Parsed<Body>;
  /** The body as bytes, where the route takes its media type so and it was sent so. */
  readonly raw: Buffer | undefined;
  /** The Accept header, for routes that can answer in more than one form. */
  readonly accept: string | undefined;
  /** Where a stream that was cut off is to go on, in the words of its last message. */
  readonly lastEventId: string | undefined;
  /** Present on routes that declare `list`. */
  readonly list: ListQuery;
  /** The path and query string as sent, for links to further pages. */
  readonly url: string;
};

export type RateLimit = { readonly limit: number; readonly windowSeconds: number };

export type RouteDefinition<
  Url extends string = string,
  Params = unknown,
  Query = unknown,
  Body = unknown,
> = {
  /** `noun.verb`: log field, metric label, rate-limit key, OpenAPI operationId, grep target. */
  readonly op: string;
  readonly method: Method;
  readonly url: Url;
  readonly scope: ScopeOf<Url>;
  /** Holders of one of these are let in too, and shown what that scope is about. */
  readonly orScopes?: readonly ScopeName[];
  /** One line for the API reference. */
  readonly summary: string;
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  /** Where an empty object fits, no body at all counts as one. */
  readonly body?: Body;
  /** Body and answer of the documentation's example; a test checks them against the schemas. */
  readonly example?: { readonly body?: unknown; readonly reply?: unknown };
  readonly list?: ListSpec;
  /** Schema of the success answer; none means no content. */
  readonly reply?: TSchema;
  /** Default: 200 with a reply, 204 without. */
  readonly status?: number;
  /** Headers of the success answer beyond those every route of its kind gives. */
  readonly replyHeaders?: readonly ("ETag" | "Link" | "Location" | "x-pagination-total-is")[];
  /** Further success statuses with the same reply, told apart in the handler by `answer()`. */
  readonly otherStatuses?: readonly number[];
  /** Statuses that the published specification lists and that this route never answers. */
  readonly alsoListed?: Readonly<Record<number, string>>;
  /** Problems beyond those every route of its kind can give. */
  readonly errors?: readonly ProblemKind[];
  readonly bodySizeBytesMax?: number;
  /** A request without a body is refused, although the schema lets an empty object pass. */
  readonly bodyNeeded?: true;
  /** A further media type the body may come in, handed on as bytes in `raw`. */
  readonly rawBody?: { readonly type: string; readonly sizeBytesMax: number };
  /** A further media type the answer may have, sent by the handler as bytes. */
  readonly rawReply?: string;
  readonly rateLimit?: RateLimit;
  /** A tenant that does not exist yet is a fine thing here (the route that creates it). */
  readonly createsTenant?: boolean;
  /**
   * Waits for someone else's server, so no transaction may be open meanwhile. A request with an
   * `Idempotency-Key` then notes that it runs, before, and its answer, after: a process that dies in
   * between leaves a note that runs out, and the request may be sent again.
   */
  readonly callsOut?: boolean;
  /** Answers are secrets: never stored by anyone on the way. */
  readonly noStore?: boolean;
  handle(
    context: ContextOf<Url>,
    input: RouteInput<Params, Query, Body>,
  ): Promise<unknown> | unknown;
};

/** A route whose types have done their work: what tables of routes hold. */
export type Route = Omit<RouteDefinition, "scope" | "handle" | "params" | "query" | "body"> & {
  readonly scope: RouteScope;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  // biome-ignore lint/suspicious/noExplicitAny: the types were checked where the route was defined.
  handle(context: any, input: any): Promise<unknown> | unknown;
};

export function defineRoute<
  const Url extends string,
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(definition: RouteDefinition<Url, Params, Query, Body>): Route {
  return definition as unknown as Route;
}

export type AnswerOptions = {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** The version the ETag is made of. */
  readonly version?: number | string;
};

/** An answer that is more than its body. */
export class Answer {
  readonly body: unknown;
  readonly options: AnswerOptions;

  constructor(body: unknown, options: AnswerOptions) {
    this.body = body;
    this.options = options;
  }
}

export function answer(body: unknown, options: AnswerOptions): Answer {
  return new Answer(body, options);
}

/** JSON that is written already, such as what the database gave: sent as it is, to the digit. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For whoever stores or checks an answer instead of sending it. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

export function toAnswer(result: unknown): Answer {
  return result instanceof Answer ? result : new Answer(result, {});
}
