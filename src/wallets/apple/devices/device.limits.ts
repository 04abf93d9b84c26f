/** Limits of everything that devices, or those who pretend to be one, send to the web service. */

/** A person has a handful of devices; a shared pass may be in many. */
export const DEVICES_PER_PASS_MAX = 1_000;
/** Registrations of one pass that bring a new device or another token; devices come back later. */
export const CHANGES_PER_HOUR_MAX = 1_200;
/** Answers to the questions of one pass. A phone sends one, and repeats it if the network fails. */
export const ANSWERS_PER_HOUR_MAX = 60;
/** Answers for passes that are not there, of one network and minute. */
export const MISSES_PER_MINUTE_MAX = 60;
/** Keeps the answer to the question for updated passes small. */
export const PASSES_PER_DEVICE_MAX = 1_000;

export const BODY_SIZE_BYTES_MAX = 4 * 1024;
/** A token, and what a person writes of themselves. */
export const ENROLMENT_SIZE_BYTES_MAX = 16 * 1024;
export const LOG_SIZE_BYTES_MAX = 64 * 1024;

const DEVICE_ID = /^[\w.:-]{1,128}$/;
/** Apple asks not to assume a length of tokens. The token becomes a part of an address. */
const PUSH_TOKEN = /^[\w-]{1,512}$/;
const PASS_TYPE_IDENTIFIER = /^pass\.[\w.-]{1,195}$/;
const SERIAL_NUMBER = /^[\w-]{5,50}$/;
const AUTHORIZATION = /^ApplePass ([\w.~+/=-]{1,200})$/;
/** As many digits as surely fit the column. */
const TAG = /^[0-9]{1,18}$/;

export const isDeviceId = (text: string): boolean => DEVICE_ID.test(text);
export const isPassTypeIdentifier = (text: string): boolean => PASS_TYPE_IDENTIFIER.test(text);
export const isSerialNumber = (text: string): boolean => SERIAL_NUMBER.test(text);

export function readAuthorization(header: string | undefined): string | undefined {
  return AUTHORIZATION.exec(header ?? "")?.[1];
}

/** Undefined if the body is not what the protocol says. */
export function readPushToken(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("pushToken" in body)) return undefined;
  const { pushToken } = body;
  return typeof pushToken === "string" && PUSH_TOKEN.test(pushToken) ? pushToken : undefined;
}

/** A tag that we did not give out counts as none, so the device gets the full list. */
export function readTag(text: unknown): string {
  return typeof text === "string" && TAG.test(text) ? text : "0";
}

const LOG_LINES_MAX = 20;
const LOG_LINE_LENGTH_MAX = 300;
/** Serial numbers, tokens, device ids and e-mail addresses; words of a message are shorter. */
const PERSONAL = /\S*@\S*|[\w+/=-]{16,}/g;

/** Lines that are safe to log: few, short, on one line, and without what tells of a person. */
export function readLogLines(body: unknown): string[] {
  const logs = typeof body === "object" && body !== null && "logs" in body ? body.logs : undefined;
  if (!Array.isArray(logs)) return [];
  return logs
    .slice(0, LOG_LINES_MAX)
    .filter((line) => typeof line === "string")
    .map((line) =>
      line
        .slice(0, LOG_LINE_LENGTH_MAX)
        .replaceAll(/\p{Cc}+/gu, " ")
        .replaceAll(PERSONAL, "…"),
    );
}
