import type { Static, TSchema } from "typebox";

export type ControlRequest = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
};

export type ControlRoute = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly pattern: RegExp;
  readonly body: TSchema | undefined;
  readonly handle: (body: unknown, request: ControlRequest) => unknown;
};

type WithBody<Schema extends TSchema> = (body: Static<Schema>, request: ControlRequest) => unknown;
type WithoutBody = (request: ControlRequest) => unknown;

/** The addresses by which one acts as a vendor. What is answered is JSON; undefined is 204. */
export class ControlTable {
  readonly routes: ControlRoute[] = [];

  get(path: string, handle: WithoutBody): void {
    this.#add("GET", path, undefined, (_, request) => handle(request));
  }

  delete(path: string, handle: WithoutBody): void {
    this.#add("DELETE", path, undefined, (_, request) => handle(request));
  }

  /** A deed that needs no more than its address. */
  act(path: string, handle: WithoutBody): void {
    this.#add("POST", path, undefined, (_, request) => handle(request));
  }

  post<Schema extends TSchema>(path: string, body: Schema, handle: WithBody<Schema>): void {
    this.#add("POST", path, body, handle as ControlRoute["handle"]);
  }

  put<Schema extends TSchema>(path: string, body: Schema, handle: WithBody<Schema>): void {
    this.#add("PUT", path, body, handle as ControlRoute["handle"]);
  }

  patch<Schema extends TSchema>(path: string, body: Schema, handle: WithBody<Schema>): void {
    this.#add("PATCH", path, body, handle as ControlRoute["handle"]);
  }

  /** `path` begins with a slash; `:name` stands for one part of it. */
  #add(
    method: ControlRoute["method"],
    path: string,
    body: TSchema | undefined,
    handle: ControlRoute["handle"],
  ): void {
    const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
    this.routes.push({ method, pattern, body, handle });
  }
}
