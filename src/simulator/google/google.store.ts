import { GoogleError, invalid } from "./google.errors.ts";
import { hasMember } from "./google.members.ts";
import {
  type Collection,
  collectionOf,
  issuerOf,
  type Json,
  mergeResource,
  resourceProblem,
  typeOf,
} from "./google.resources.ts";
import { LongTokens } from "./long.tokens.ts";

/** One class or object, and what Google notes about it. */
export type Stored = {
  readonly collection: string;
  readonly value: Json;
  /** When messages and updates of it made phones ring, in milliseconds. */
  readonly rang: readonly number[];
};

/** Something that phones which hold the pass hear of. */
export type GoogleChange = {
  readonly id: string;
  readonly isClass: boolean;
  /** A message for the lock screen, maybe in several languages; undefined for a silent change. */
  readonly notice: Json | undefined;
};

const RESOURCES_MAX = 250_000;
const MESSAGES_MAX = 10;
const RINGS_PER_DAY = 3;
const DAY_MS = 86_400_000;
/** With the words of former versions, which Google still takes. */
const UNDER_REVIEW = new Set(["UNDER_REVIEW", "underReview"]);
const DRAFT = new Set(["DRAFT", "draft"]);
/** Google notifies about changes of these members only; those of a class ring the phones of all its passes. */
const NOTIFYING = [
  ...["eventName", "venue", "dateTime", "origin", "destination", "flightStatus"],
  ...["localScheduledDepartureDateTime", "localScheduledArrivalDateTime"],
  ...["localEstimatedOrActualDepartureDateTime", "localEstimatedOrActualArrivalDateTime"],
  ...["localBoardingDateTime", "localGateClosingDateTime"],
  "loyaltyPoints",
  "secondaryLoyaltyPoints",
  "seatInfo",
  "boardingAndSeatingInfo",
  "balance",
];

/** The classes and objects of all issuers. */
export class GoogleStore {
  readonly longTokens = new LongTokens();
  readonly #resources: Map<string, Stored>;
  readonly #onChange: (change: GoogleChange) => void;

  constructor(
    resources: readonly (readonly [string, Stored])[],
    onChange: (change: GoogleChange) => void,
  ) {
    this.#resources = new Map(resources);
    this.#onChange = onChange;
  }

  entries(): readonly (readonly [string, Stored])[] {
    return [...this.#resources];
  }

  /** No phone holds anything any more. */
  forgetUsers(): void {
    for (const [id, { value }] of this.#resources) {
      if (value.hasUsers === true) this.noteUsers(id, false);
    }
  }

  find(id: string): Stored | undefined {
    return this.#resources.get(id);
  }

  get(collection: Collection, id: string): Json {
    return this.#stored(collection, id).value;
  }

  insert(collection: Collection, sent: Json): Json {
    const problem = resourceProblem(collection, sent);
    if (problem !== undefined) throw invalid(problem);
    const id = String(sent.id);
    if (this.#resources.has(id)) {
      throw new GoogleError(409, "alreadyExists", `Resource ${id} already exists.`);
    }
    if (this.#resources.size >= RESOURCES_MAX) {
      throw new GoogleError(429, "quotaExceeded", "The simulator holds no more resources.");
    }
    if (!collection.isClass) this.#requireClass(collection, String(sent.classId));
    const value = reviewed(collection, { ...sent, ...versionAfter(collection, {}) });
    this.#resources.set(id, { collection: collection.name, value, rang: [] });
    this.#onChange({ id, isClass: collection.isClass, notice: undefined });
    return value;
  }

  patch(collection: Collection, id: string, sent: Json): Json {
    return this.#change(collection, id, sent, mergeResource(this.get(collection, id), sent));
  }

  put(collection: Collection, id: string, sent: Json): Json {
    const { messages } = this.get(collection, id);
    const kept = messages === undefined ? {} : { messages };
    return this.#change(collection, id, sent, { ...kept, ...sent, id: sent.id ?? id });
  }

  addMessage(collection: Collection, id: string, sent: Json): Json {
    const stored = this.#stored(collection, id);
    const message = sent.message as Json | undefined;
    if (typeof message !== "object" || message === null) throw invalid("Missing field: message.");
    const type = String(message.messageType ?? "TEXT");
    if (textOf(message.body) === "") throw invalid("Missing required field: message.body.");
    const rings = type === "TEXT_AND_NOTIFY";
    const rang = rings ? ring(stored.rang) : stored.rang;
    const before = Array.isArray(stored.value.messages) ? stored.value.messages : [];
    const others = before.filter(({ id: known }: Json) => known !== message.id || !message.id);
    const messages = [...others, message].slice(-MESSAGES_MAX);
    const value = { ...stored.value, messages, ...versionAfter(collection, stored.value) };
    this.#resources.set(id, { ...stored, value, rang });
    const notice = rings ? message : undefined;
    this.#onChange({ id, isClass: collection.isClass, notice });
    return value;
  }

  /** Resources of one collection, by page. The token of a page is the place where it begins. */
  list(
    collection: Collection,
    belongs: (value: Json) => boolean,
    { max, token }: { readonly max: number; readonly token: number },
  ): object {
    const all = [...this.#resources.values()]
      .filter((stored) => stored.collection === collection.name && belongs(stored.value))
      .map(({ value }) => value);
    const resources = all.slice(token, token + max);
    const isMore = token + max < all.length;
    const pagination = {
      kind: "walletobjects#pagination",
      resultsPerPage: resources.length,
      ...(isMore ? { nextPageToken: String(token + max) } : {}),
    };
    return { resources, pagination };
  }

  /** Notes whether any phone holds an object. */
  noteUsers(id: string, hasUsers: boolean): void {
    const stored = this.#resources.get(id);
    if (stored === undefined) return;
    this.#resources.set(id, { ...stored, value: { ...stored.value, hasUsers } });
  }

  #change(collection: Collection, id: string, sent: Json, next: Json): Json {
    const stored = this.#stored(collection, id);
    if (String(next.id) !== id) throw invalid("The id of a resource cannot change.");
    // Google only takes it for one change: it is never stored.
    const { notifyPreference, hasUsers: _, ...rest } = next;
    const problem = resourceProblem(collection, rest) ?? reviewProblem(collection, rest);
    if (problem !== undefined) throw invalid(problem);
    if (!collection.isClass) this.#requireClass(collection, String(rest.classId));
    const { hasUsers } = stored.value;
    const value = reviewed(collection, {
      ...rest,
      ...(hasUsers === undefined ? {} : { hasUsers }),
      ...versionAfter(collection, stored.value),
    });
    const isNotifying = NOTIFYING.some(
      (name) =>
        sent[name] !== undefined &&
        JSON.stringify(value[name]) !== JSON.stringify(stored.value[name]),
    );
    const rings = notifyPreference === "NOTIFY_ON_UPDATE" && isNotifying;
    const rang = rings ? ring(stored.rang) : stored.rang;
    this.#resources.set(id, { ...stored, value, rang });
    const notice = rings ? { header: "", body: "Your pass was updated." } : undefined;
    this.#onChange({ id, isClass: collection.isClass, notice });
    return value;
  }

  #stored(collection: Collection, id: string): Stored {
    if (issuerOf(id) === undefined) throw invalid(`Invalid resource ID: ${id}.`);
    const stored = this.#resources.get(id);
    if (stored?.collection === collection.name) return stored;
    throw new GoogleError(404, "resourceNotFound", `Resource ${id} not found.`);
  }

  #requireClass({ type }: Collection, classId: string): void {
    const found = this.#resources.get(classId);
    const wanted = collectionOf(`${type}Class`);
    if (found === undefined || found.collection !== wanted?.name) {
      throw new GoogleError(404, "classNotFound", `Class ${classId} not found.`);
    }
    if (DRAFT.has(String(found.value.reviewStatus))) throw invalid(`Class ${classId} is a draft.`);
  }
}

/** Google approves what is sent for review at once. */
function reviewed({ isClass }: Collection, value: Json): Json {
  return isClass && UNDER_REVIEW.has(String(value.reviewStatus))
    ? { ...value, reviewStatus: "APPROVED" }
    : value;
}

function reviewProblem({ isClass, type }: Collection, value: Json): string | undefined {
  if (!isClass || type === "generic") return undefined;
  const status = String(value.reviewStatus);
  return UNDER_REVIEW.has(status) || DRAFT.has(status)
    ? undefined
    : `Invalid review status: ${status}. Send UNDER_REVIEW with a change.`;
}

/** Counts one more notification of a pass, of which Google allows a few in a day. */
function ring(rang: readonly number[]): readonly number[] {
  const now = Date.now();
  const recent = rang.filter((at) => at > now - DAY_MS);
  if (recent.length >= RINGS_PER_DAY) {
    const message = `More than ${RINGS_PER_DAY} notifications of one pass within 24 hours.`;
    throw new GoogleError(429, "quotaExceeded", message);
  }
  return [...recent, now];
}

/** Not all types count their versions. */
function versionAfter(collection: Collection, { version }: Json): Json {
  if (!hasMember(typeOf(collection), "version")) return {};
  return { version: String(Number(version ?? 0) + 1) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
