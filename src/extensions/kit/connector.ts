import type { TProperties } from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import type { FieldErrors } from "#kernel/http/validation.ts";
import type { MetadataSource } from "#src/passes/public.ts";
import type { Action } from "./action.ts";
import type { CatchUp } from "./catch-up.ts";
import type { ConnectorFile, SettingsOf } from "./connector-file.ts";
import type { JourneyWays } from "./journey.ts";
import type { Outbound } from "./outbound.ts";

export const CONNECTOR_KINDS = [
  "customer-data",
  "marketing",
  "point-of-sale",
  "ticketing",
  "bot-check",
] as const;
export type ConnectorKind = (typeof CONNECTOR_KINDS)[number];

/** A member of the settings that is kept as a secret: it is sent, and never shown. */
export type SecretMember = {
  /** Its name among the tenant's secrets: `SHOPIFY-CLIENTSECRET`. */
  readonly key: string;
  /** Without it the connector does nothing, and refuses what arrives. */
  readonly isRequired: boolean;
  /** One sentence for the API reference. */
  readonly about: string;
  /** After a change, deliveries that the old value signed are taken for so long. */
  readonly overlapHours?: number;
};

/** The settings and the secrets of one tenant. */
export type Connection<
  Settings = Readonly<Record<string, unknown>>,
  Secret extends string = string,
> = {
  readonly settings: Settings;
  /** The values that hold now, the newest first; empty if there is none. */
  readonly secrets: Readonly<Record<Secret, readonly string[]>>;
};

/** A request of the vendor as it arrived. */
export type SignedRequest = {
  readonly method: string;
  /** The address that the vendor was given, as signatures of some vendors contain it. */
  readonly publicUrl: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Buffer;
  readonly now: Date;
};

/** `reason` is for the log: callers never see it. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** What arrived, with its body read as JSON. */
export type Arrival = {
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Buffer;
  /**
   * Undefined if the body is no JSON. Numbers that a double would change are texts: read values by the
   * functions of `kit/values.ts`.
   */
  readonly json: unknown;
};

/** What must be known of a delivery before it is stored. */
export type Reading = {
  /** The vendor's own id of the delivery, or what stands for it: it is stored once. */
  readonly dedupeKey: string;
  readonly topic: string;
  /**
   * What it is about, as `name=value`. Deliveries with the same subject are worked on one after the
   * other. Where passes have the identifier `<connector>.<name>`, their erasure finds it by that.
   */
  readonly subject: string;
  /** When it happened at the vendor; the time of arrival if it is missing. */
  readonly occurredAt?: Date | undefined;
  /**
   * `state` if it tells how the subject is now: then it is passed over where something newer is known.
   * `gone` if the subject is no more: whatever is older is passed over from then on.
   */
  readonly tells?: "state" | "gone" | undefined;
};

/** A stored delivery, when its turn has come. */
export type Delivery = Arrival & {
  readonly id: string;
  readonly topic: string;
  readonly subject: string;
  readonly occurredAt: Date;
  readonly receivedAt: Date;
};

/** What a delivery shall bring about. Sentences are for the administrator who looks at the inbox. */
export type Plan =
  | {
      readonly actions: readonly Action[];
      /** How new what was found out is, where the delivery itself does not tell. */
      readonly news?: News;
    }
  /** It waits for something else, and others of its subject may go first. */
  | { readonly later: string }
  | { readonly ignored: string };

/** How something was at a time: it is passed over where something newer is known of it. */
export type News = {
  readonly at: Date;
  /** The subject of the delivery if nothing is said. */
  readonly subject?: string;
};

/** A pass among the people that an arrival tells of. */
export const passTerm = (passId: string): string => `passId=${passId}`;

/** Throw it where trying again is of no use; the sentence is for people. */
export class DeliveryProblem extends Error {}

/** Throw it where the vendor cannot be asked at present; the sentence is for people. */
export class VendorProblem extends Error {}

/**
 * The status that each outcome has at this vendor: statuses are commands to callers, and they differ.
 * 410 is none of them, because vendors take it as "never call again". Where our own service fails,
 * the status is 503 for everybody.
 */
export type AckPolicy = {
  readonly stored: 200 | 201 | 204;
  readonly duplicate: 200 | 201 | 204;
  /** A delivery of a kind that asks for nothing; it is not stored. */
  readonly ignored: 200 | 201 | 204;
  /** Signed, but not to be understood; it is stored as failed. */
  readonly unreadable: 200 | 204 | 400 | 422;
  readonly badSignature: 400 | 401 | 403;
  /** Too many wait to be worked on: the status after which the vendor sends it again later. 503 usually. */
  readonly full?: 429 | 503;
};

export type Inbound<
  Settings = Readonly<Record<string, unknown>>,
  Secret extends string = string,
> = {
  /** Pure, on the bytes as they arrived, in constant time. Without a secret it must refuse. */
  verify(request: SignedRequest, connection: Connection<Settings, Secret>): Verdict;
  /** Pure. Undefined if there is nothing to do; throw `DeliveryProblem` for what cannot be read. */
  read(arrival: Arrival, connection: Connection<Settings, Secret>): Reading | undefined;
  /**
   * Pure, and never throws: the people that an arrival tells of, as `name=value` like subjects, also
   * where it cannot be read or is about something else, such as an order. Their erasure finds it by that.
   */
  people?(arrival: Arrival): readonly string[];
  /** People are also known by identifiers of other systems, by their whole names, and by their passes. */
  readonly ofAnySystem?: true;
  readonly ack: AckPolicy;
  /** The largest body that the vendor sends; 256 KiB if nothing is said, and never above 1 MiB. */
  readonly bodyBytesMax?: number;
  /**
   * Says what shall happen. May ask the vendor, because no transaction is open. What it throws is
   * tried again for three days, except a `DeliveryProblem`.
   */
  plan(
    context: TenantContext,
    delivery: Delivery,
    connection: Connection<Settings, Secret>,
    signal: AbortSignal,
  ): Promise<Plan> | Plan;
};

type Definition<Members extends TProperties, Secret extends string> = {
  readonly file: ConnectorFile<Members>;
  /** The address of the `*.config.ts` that declares the file: other processes load only that. */
  readonly configFile: URL;
  readonly kind: ConnectorKind;
  /** The name of the vendor, for people. */
  readonly title: string;
  /** One or two sentences for people who choose among connectors. */
  readonly about: string;
  /** By the member of the request that holds the value. */
  readonly secrets: Readonly<Record<Secret, SecretMember>>;
  /** Settings and secrets as a request sends them, for the API reference. */
  readonly example: Readonly<Record<string, unknown>>;
  /**
   * True if the members of its request and answer are specified: then `enabled` stands in its file
   * alone, and stays as it is.
   */
  readonly isSpecified?: boolean;
  /** The origin that secrets are sent to. If it changes, they must be sent again. */
  origin?(settings: SettingsOf<Members>): string;
  /**
   * Within what the vendor's ids are unique, if that is less than the whole world: an id of another
   * account is another thing. If it changes, what leads from tickets to passes is dropped.
   */
  account?(settings: SettingsOf<Members>): string;
  /**
   * Tries the connection before anything is saved, by requests to the vendor. Returns what is wrong by
   * member, or undefined.
   */
  check?(
    context: TenantContext,
    connection: Connection<SettingsOf<Members>, Secret>,
    signal: AbortSignal,
  ): Promise<FieldErrors | undefined>;
  readonly inbound?: Inbound<SettingsOf<Members>, Secret>;
  /** Finds what deliveries have missed, every night. Needs `inbound`, which works on it. */
  readonly catchUp?: CatchUp<Connection<SettingsOf<Members>, Secret>>;
  /** Set if steps of journeys at the vendor call this service with an API key. */
  readonly journey?: JourneyWays;
  /** True if it has an address that cannot be guessed, although nothing goes to its inbox. */
  readonly hasOwnAddress?: boolean;
  /** Asked where a change of passes has the option `UpdateMetadata`; only while it is configured. */
  metadata?(
    context: TenantContext,
    pass: Parameters<MetadataSource["fetch"]>[1],
    connection: Connection<SettingsOf<Members>, Secret>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown> | undefined>;
  /** What happens here and is told to the vendor, from the first publication of its file on. */
  readonly outbound?: Outbound<Connection<SettingsOf<Members>, Secret>>;
};

/** A connector without its type parameters, as the list of connectors holds it. */
export type Connector = Omit<
  // biome-ignore lint/suspicious/noExplicitAny: the types were checked where it was defined.
  Definition<any, string>,
  "secrets" | "file"
> & {
  readonly name: string;
  readonly file: ConnectorFile;
  readonly secrets: Readonly<Record<string, SecretMember>>;
};

/** Whether the vendor is given an address of this service. */
export function hasAddress({ inbound, hasOwnAddress }: Connector): boolean {
  return inbound !== undefined || hasOwnAddress === true;
}

/** Infers the types of settings and secrets, and forgets them again. */
export function defineConnector<Members extends TProperties, Secret extends string>(
  definition: Definition<Members, Secret>,
): Connector {
  return { ...definition, name: definition.file.name } as unknown as Connector;
}
