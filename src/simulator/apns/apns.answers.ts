/** What a request to the push service brings, as far as the answer depends on it. */
export type PushRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bodyBytes: number;
  readonly certificate: ClientCertificate | undefined;
};

/** The certificate that a client of the push service shows. */
export type ClientCertificate = {
  /** The pass type identifier. */
  readonly uid: string | undefined;
  readonly validTo: number;
};

/** Devices that the push service no longer knows, or never knew, by their tokens. */
export type TokenBook = {
  isBad(token: string): boolean;
  /** When the device went away; undefined for one that is there. */
  goneAt(token: string): number | undefined;
};

export type PushAnswer = {
  readonly status: number;
  /** Undefined for a push that was accepted. */
  readonly reason: string | undefined;
  readonly timestamp?: number;
};

const ACCEPTED: PushAnswer = { status: 200, reason: undefined };
const PAYLOAD_BYTES_MAX = 4_096;
const COLLAPSE_ID_BYTES_MAX = 64;
const DEVICE_PATH = /^\/3\/device\/([^/?]*)$/;
/** Apple does not promise a length; what is shorter than this was never one of its tokens. */
const TOKEN = /^[0-9a-fA-F]{64,200}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PUSH_TYPES = new Set(
  "alert background complication controls fileprovider liveactivity location mdm pushtotalk voip widgets".split(
    " ",
  ),
);

export function tokenOf(path: string): string {
  return DEVICE_PATH.exec(path)?.[1] ?? "";
}

/** The answer by the table of Apple's documentation, for a service without a fault. */
export function answerPush(request: PushRequest, tokens: TokenBook, now: number): PushAnswer {
  const { method, path, bodyBytes } = request;
  const token = DEVICE_PATH.exec(path)?.[1];
  if (token === undefined) return refuse(404, "BadPath");
  if (method !== "POST") return refuse(405, "MethodNotAllowed");
  if (token === "") return refuse(400, "MissingDeviceToken");
  const refusal = certificateProblem(request, now) ?? headerProblem(request);
  if (refusal !== undefined) return refusal;
  if (bodyBytes === 0) return refuse(400, "PayloadEmpty");
  if (bodyBytes > PAYLOAD_BYTES_MAX) return refuse(413, "PayloadTooLarge");
  const goneAt = tokens.goneAt(token);
  if (goneAt !== undefined) return { status: 410, reason: "Unregistered", timestamp: goneAt };
  if (!TOKEN.test(token) || tokens.isBad(token)) return refuse(400, "BadDeviceToken");
  return ACCEPTED;
}

function refuse(status: number, reason: string): PushAnswer {
  return { status, reason };
}

function certificateProblem(request: PushRequest, now: number): PushAnswer | undefined {
  const { certificate, headers } = request;
  if (certificate?.uid === undefined || certificate.validTo < now) {
    return refuse(403, "BadCertificate");
  }
  const topic = headers["apns-topic"];
  if (topic === undefined || topic === "") return refuse(400, "MissingTopic");
  return topic === certificate.uid ? undefined : refuse(400, "BadTopic");
}

function headerProblem({ headers }: PushRequest): PushAnswer | undefined {
  const type = headers["apns-push-type"];
  if (type !== undefined && !PUSH_TYPES.has(type)) return refuse(400, "InvalidPushType");
  const priority = headers["apns-priority"];
  if (priority !== undefined && !/^(1|5|10)$/.test(priority)) return refuse(400, "BadPriority");
  if (type === "background" && priority === "10") return refuse(400, "BadPriority");
  const expiration = headers["apns-expiration"];
  if (expiration !== undefined && !/^\d{1,12}$/.test(expiration)) {
    return refuse(400, "BadExpirationDate");
  }
  const id = headers["apns-id"];
  if (id !== undefined && !UUID.test(id)) return refuse(400, "BadMessageId");
  const collapseId = headers["apns-collapse-id"] ?? "";
  if (Buffer.byteLength(collapseId) > COLLAPSE_ID_BYTES_MAX) return refuse(400, "BadCollapseId");
  return undefined;
}
