import type { IncomingHttpHeaders } from "node:http";
import type { Static, TSchema } from "typebox";
import type { ANY_CREDENTIAL, PLATFORM_SCOPE } from "../actor.ts";
import type { SystemContext, TenantContext } from "../context.ts";
import type { ProblemError, ProblemKind } from "../errors.ts";
import { parseExactJson } from "../exact-number.ts";
import type { Representation } from "./etag.ts";
import type { ListQuery, ListSpec } from "./lists/list-spec.ts";

/** The API key form of a scope: `Webhook.Read`. */
export type ScopeName = `${string}.${string}`;

/**
 * Who may call a route: holders of a scope in the tenant, Global Administrators, whoever has a
 * credential, or anyone.
 */
export type RouteScope = ScopeName | typeof PLATFORM_SCOPE | typeof ANY_CREDENTIAL | "public";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type ContextOf<Url extends string> = Url extends `${string}:tenantId${string}`
  ? TenantContext
  : SystemContext;

/**
 * A scope is held within one tenant. On an address without a tenant, a scope would admit the key of
 * any tenant to what belongs to all, so it does not compile.
 */
type ScopeOf<Url extends string> = Url extends `${string}:tenantId${string}`
  ? RouteScope
  : Exclude<RouteScope, ScopeName>;

type Parsed<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export type RouteInput<Params, Query, Body> = {
  readonly params: Parsed<Params>;
  readonly query: Parsed<Query>;
  readonly body: Parsed<Body>;
  /** The body as bytes, if the route accepts its media type as bytes. */
  readonly raw: Buffer | undefined;
  /** For routes that must check what another system signed. By name in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The Accept header, for routes that can answer in several media types. */
  readonly accept: string | undefined;
  /**
   * The id of the last message that the client of a stream received; the stream continues after it.
   */
  readonly lastEventId: string | undefined;
  /** Present on routes that declare `list`. */
  readonly list: ListQuery;
  /** The path and the query string as sent, for links to further pages. */
  readonly url: string;
  /** Present on routes that declare `keepsKeys`, if one was sent. */
  readonly idempotencyKey?: string | undefined;
};

/** What a route has taken of a body, before it acts on it. */
export type Received = {
  /** Two requests whose bodies have the same fingerprint are the same to an idempotency key. */
  readonly fingerprint: string;
  /** Gives up what `handle` has not made use of. Called after each request, also a failed one. */
  abandon(): Promise<void>;
};

/** A body that is too large to wait anywhere until it is complete. */
export type Upload<Context, Input, Result extends Received> = {
  /** The media types of the body besides those of JSON. All of them are bytes to the route. */
  readonly types: readonly string[];
  readonly sizeBytesMax: number;
  /**
   * Takes the body while it arrives, in transactions of its own; the result goes to `handle`. If it
   * throws, it must leave nothing behind.
   */
  receive(context: Context, input: Input, chunks: AsyncIterable<Buffer>): Promise<Result>;
};

/** For `rawBody`: the route takes bytes, whatever type they have. */
export const ANY_TYPE = "*/*";

export type RateLimit = { readonly limit: number; readonly windowSeconds: number };

export type RouteDefinition<
  Url extends string = string,
  Params = unknown,
  Query = unknown,
  Body = unknown,
  Taken extends Received = Received,
> = {
  /**
   * `noun.verb`: log field, metric label, rate-limit key, OpenAPI operationId, text to search for.
   */
  readonly op: string;
  readonly method: Method;
  readonly url: Url;
  readonly scope: ScopeOf<Url>;
  /** Holders of one of these scopes may call as well, and see only what that scope covers. */
  readonly orScopes?: readonly ScopeName[];
  /** One line for the API reference. */
  readonly summary: string;
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  /** If an empty object fits the schema, a request without a body counts as `{}`. */
  readonly body?: Body;
  /** The body and the answer of the documented example; a test checks them against the schemas. */
  readonly example?: { readonly body?: unknown; readonly reply?: unknown };
  readonly list?: ListSpec;
  /** The schema of the success answer; without it, the answer has no content. */
  readonly reply?: TSchema;
  /** Default: 200 with a reply, 204 without. */
  readonly status?: number;
  /** Headers of the success answer, in addition to those of every route of this kind. */
  readonly replyHeaders?: readonly ("ETag" | "Link" | "Location")[];
  /** Further success statuses with the same reply; the handler chooses one by `answer()`. */
  readonly otherStatuses?: readonly number[];
  /** Statuses that the published specification lists but this route never returns. */
  readonly alsoListed?: Readonly<Record<number, string>>;
  /** Problems in addition to those of every route of this kind. */
  readonly errors?: readonly ProblemKind[];
  readonly bodySizeBytesMax?: number;
  /** A request without a body is refused, although an empty object would fit the schema. */
  readonly bodyNeeded?: true;
  /**
   * A further media type of the body, given to the handler as bytes in `raw`. With the type
   * `ANY_TYPE` every body is bytes, also one of JSON or without a type.
   */
  readonly rawBody?: { readonly type: string; readonly sizeBytesMax: number };
  /** The body is taken while it arrives; its schema is for the documentation only. */
  readonly upload?: Upload<ContextOf<Url>, RouteInput<Params, Query, undefined>, Taken>;
  /** A further media type of the answer, which the handler sends as bytes. */
  readonly rawReply?: string;
  readonly rateLimit?: RateLimit;
  /** The tenant need not exist yet: for the route that creates it. */
  readonly createsTenant?: boolean;
  /**
   * No transaction may be open for the whole request: the route calls a server outside, or does
   * many things that each may run again. With an `Idempotency-Key`, the request first stores a note
   * that it is running, and later its answer. If the process dies in between, the note expires and
   * the request may be sent again; an answer that cannot be stored is given all the same, and tried
   * again.
   */
  readonly inSteps?: boolean;
  /**
   * The route itself does nothing twice with the same `Idempotency-Key`, which it gets as
   * `idempotencyKey`: one key may stand for several things there. No answer is stored.
   */
  readonly keepsKeys?: boolean;
  /** The answers contain secrets: no cache may store them. */
  readonly noStore?: boolean;
  /**
   * False if a read is never answered with 304, and its ETag serves `If-Match` alone: members such as the
   * time of the last use change without a new version.
   */
  readonly answersNotModified?: false;
  /**
   * For callers to whom statuses are commands: what they get in place of a problem, also of one that
   * arises before `handle`.
   */
  translate?(problem: ProblemError, params: Readonly<Record<string, string>>): ProblemError;
  handle(
    context: ContextOf<Url>,
    input: RouteInput<Params, Query, Body> & { readonly received: Taken },
  ): Promise<unknown> | unknown;
};

/** A route without its type parameters, as tables of routes hold it. */
export type Route = Omit<
  RouteDefinition,
  "scope" | "handle" | "params" | "query" | "body" | "upload"
> & {
  readonly scope: RouteScope;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  // biome-ignore lint/suspicious/noExplicitAny: the types were checked where the route was defined.
  readonly upload?: Upload<any, any, Received>;
  // biome-ignore lint/suspicious/noExplicitAny: the types were checked where the route was defined.
  handle(context: any, input: any): Promise<unknown> | unknown;
};

export function defineRoute<
  const Url extends string,
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  Taken extends Received = Received,
>(definition: RouteDefinition<Url, Params, Query, Body, Taken>): Route {
  return definition as unknown as Route;
}

/**
 * Callers without a credential are all the same to us: one of them would get the stored answer of
 * another by sending the same key.
 */
export function takesIdempotencyKey({ method, scope }: Pick<Route, "method" | "scope">): boolean {
  return method === "POST" && scope !== "public";
}

export type AnswerOptions = {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** The version from which the ETag is made. */
  readonly version?: number | string;
  /** Of a body that is not JSON, where the address also answers with JSON. */
  readonly representation?: Representation;
};

/** An answer with a status or headers of its own. */
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

/**
 * JSON that is already text, such as a value from the database: it is sent without a change to any
 * digit.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For code that stores or checks an answer instead of sending it. */
  toJSON(): unknown {
    return parseExactJson(this.text);
  }
}

export function toAnswer(result: unknown): Answer {
  return result instanceof Answer ? result : new Answer(result, {});
}
