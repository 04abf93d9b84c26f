import { type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { request as securedRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attempt } from "./delivery.ts";

export type Post = {
  readonly method?: "POST" | "GET";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly deadlineMs: number;
  /** Misbehaves in the middle of the body. */
  readonly halfway?: "cut" | { readonly pauseMs: number };
};

export type Outcome = Pick<
  Attempt,
  "status" | "failure" | "durationMs" | "answer" | "retryAfter"
> & {
  readonly contentType: string;
};

const ANSWER_BYTES_MAX = 256 * 1024;

/** Sends one request as vendors do: no redirect is followed, and the deadline counts from the start. */
export async function send(post: Post): Promise<Outcome> {
  const startedAt = performance.now();
  const deadline = AbortSignal.timeout(post.deadlineMs);
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const response = await exchange(post, deadline);
    const answer = await readAnswer(response);
    const { statusCode: status = 0, headers } = response;
    const contentType = headers["content-type"] ?? "";
    const retryAfter = headers["retry-after"] ?? null;
    return { status, failure: null, answer, contentType, retryAfter, durationMs: durationMs() };
  } catch {
    const failure = deadline.aborted ? "timeout" : "connection";
    return unanswered(post.halfway === "cut" ? "cut" : failure, durationMs());
  }
}

/** What is known of a request that nobody answered. */
export function unanswered(failure: Attempt["failure"], durationMs = 0): Outcome {
  return { status: null, failure, answer: "", contentType: "", retryAfter: null, durationMs };
}

async function exchange(post: Post, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method = "POST", headers, halfway } = post;
  const body = Buffer.from(post.body);
  const open = url.startsWith("https:") ? securedRequest : plainRequest;
  const length = method === "GET" ? {} : { "content-length": String(body.length) };
  // A connection of its own, as a vendor with many senders has.
  const request = open(url, { method, headers: { ...headers, ...length }, agent: false, signal });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
  });
  if (halfway === undefined) request.end(method === "GET" ? undefined : body);
  else await misbehave(request, body, halfway).catch(() => undefined);
  return await answered;
}

async function misbehave(
  request: ClientRequest,
  body: Buffer,
  halfway: NonNullable<Post["halfway"]>,
): Promise<void> {
  const middle = Math.floor(body.length / 2);
  await new Promise((resolve) => request.write(body.subarray(0, middle), resolve));
  if (halfway === "cut") return void request.destroy();
  await sleep(halfway.pauseMs, undefined, { ref: false });
  request.end(body.subarray(middle));
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    parts.push(part);
    if (size > ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(parts).subarray(0, ANSWER_BYTES_MAX).toString();
}
