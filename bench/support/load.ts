import autocannon from "autocannon";
import type { Sample } from "./line.ts";

export type Load = {
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  /** Called for each request. */
  readonly body?: () => string;
  /** Another path, and other headers, for each request. */
  readonly vary?: () => { readonly path: string; readonly headers?: Record<string, string> };
  readonly expectedStatus: number;
  readonly connections?: number;
  readonly seconds?: number;
};

const CONNECTIONS = 50;
const SECONDS = 3;

/** One round of HTTP load. Any other status than the expected one makes the figures worthless. */
export async function runLoad(load: Load): Promise<Sample> {
  const { body, vary } = load;
  const isVaried = body !== undefined || vary !== undefined;
  const withBody = () => (body === undefined ? {} : { body: body() });
  const request: autocannon.Request = {
    method: load.method ?? "GET",
    headers: { ...load.headers },
    ...(isVaried ? { setupRequest: (about) => ({ ...about, ...vary?.(), ...withBody() }) } : {}),
  };
  const result = await autocannon({
    url: load.url,
    connections: load.connections ?? CONNECTIONS,
    duration: load.seconds ?? SECONDS,
    requests: [request],
  });

  const answered = result.statusCodeStats as Record<string, { count: number }>;
  const expected = answered[String(load.expectedStatus)]?.count ?? 0;
  const total = Object.values(answered).reduce((sum, { count }) => sum + count, 0);
  if (expected === 0 || expected !== total || result.errors > 0 || result.timeouts > 0) {
    const statuses = Object.entries(answered).map(([status, { count }]) => `${count} × ${status}`);
    throw new Error(
      `${load.url} should answer ${load.expectedStatus} only: ${statuses.join(", ") || "no answers"}, ${result.errors} errors.`,
    );
  }
  return { throughput: total / result.duration, p99: result.latency.p99 };
}
