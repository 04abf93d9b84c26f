// Calls of the service. All of them go to where the page came from, whatever host name that is.
import { noteServerTime } from "./clock.js";

const BASE = new URL(".", location.href);
const TIMEOUT_MS = 8_000;
/** A person waits for the answer to a scan; after this time the scanner decides by itself. */
const SCAN_TIMEOUT_MS = 4_000;
const LIST_TIMEOUT_MS = 60_000;

/** The service was not reached, or answered with a problem. */
export class Failure extends Error {
  constructor({ status, code, detail, waitSeconds }) {
    super(detail);
    this.name = "Failure";
    this.status = status;
    this.code = code;
    this.waitSeconds = waitSeconds;
  }

  /** Another try may work: there is no network, or the service is busy or away. */
  get isPassing() {
    const { status } = this;
    return status === 0 || status === 408 || status === 409 || status === 429 || status >= 500;
  }
}

async function call(path, { method = "GET", key, body, headers = {}, timeoutMs = TIMEOUT_MS }) {
  let response;
  let text;
  try {
    response = await fetch(new URL(path, BASE), {
      method,
      headers: {
        ...(key === undefined ? {} : { "x-api-key": key }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    text = await response.text();
    noteServerTime(response.headers.get("date"));
  } catch {
    throw new Failure({ status: 0, code: "network", detail: "The service cannot be reached." });
  }
  if (response.status === 304) return { response };
  const value = parse(text);
  if (response.ok && value !== undefined) return { response, value };
  throw new Failure({
    // An answer that is no JSON comes from something between: a portal of a network, a gateway.
    status: response.ok || (value === undefined && response.status < 500) ? 502 : response.status,
    code: value?.code,
    detail: value?.detail ?? `The service answered ${response.status}.`,
    waitSeconds: Number(response.headers.get("retry-after")) || undefined,
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Changes a pairing code for a key of its device. */
export async function pair(code) {
  const { value } = await call(".well-known/billfold/pair", { method: "POST", body: { code } });
  return value;
}

/** The calls of one device. */
export function createApi({ tenantId, apiKey: key }) {
  const at = (path) => `api/${encodeURIComponent(tenantId)}/${path}`;
  return {
    async readDevice() {
      const { value } = await call(at("devices/current"), { key });
      return value;
    },
    async scan(body) {
      const { value } = await call(at("scans"), {
        method: "POST",
        key,
        body,
        timeoutMs: SCAN_TIMEOUT_MS,
      });
      return value;
    },
    async sendBatch(scans) {
      const { value } = await call(at("scans/batch"), { method: "POST", key, body: { scans } });
      return value.results;
    },
    /** Undefined when the list is still the one with this tag. */
    async readListPage({ limit, cursor }, tag) {
      const query = new URLSearchParams({ limit, ...(cursor === undefined ? {} : { cursor }) });
      const { response, value } = await call(at(`gate-list?${query}`), {
        key,
        headers: tag === undefined ? {} : { "if-none-match": tag },
        timeoutMs: LIST_TIMEOUT_MS,
      });
      return value === undefined ? undefined : { value, tag: response.headers.get("etag") };
    },
    async readGateKeys() {
      const tenant = encodeURIComponent(tenantId);
      const { value } = await call(`.well-known/billfold/${tenant}/gate-keys`, {});
      return value;
    },
  };
}
