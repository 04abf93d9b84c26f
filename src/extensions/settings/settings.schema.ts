import Type, { type Static, type TObject, type TProperties } from "typebox";
import { CONNECTOR_KINDS, type Connector, hasAddress } from "../kit/connector.ts";
import { JOURNEY_ACTIONS } from "../kit/journey.ts";
import type { Settings } from "./connection.service.ts";

const SECRET_CHARS_MAX = 4_096;

const Maybe = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const Moment = Type.String({ format: "date-time" });

/** `hasClientSecret` for `clientSecret`. */
export function presenceOf(member: string): string {
  return `has${member.charAt(0).toUpperCase()}${member.slice(1)}`;
}

function nameOf({ name }: Connector): string {
  return name.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/**
 * The same schema without `default`: in the file it says what a missing member means, but generators of
 * clients would take it for a member that must be sent.
 */
function withoutDefaults<Schema extends object>(schema: Schema): Schema {
  const { default: _default, ...kept } = Object.getOwnPropertyDescriptors(schema) as Record<
    string,
    PropertyDescriptor
  >;
  const inner = kept.properties?.value as Readonly<Record<string, object>> | undefined;
  if (inner !== undefined) {
    const members = Object.entries(inner).map(([name, member]) => [name, withoutDefaults(member)]);
    kept.properties = { ...kept.properties, value: Object.fromEntries(members) };
  }
  return Object.create(Object.getPrototypeOf(schema), kept);
}

/** The members of the file that requests and answers have. */
function membersOf({ file, isSpecified }: Connector): TProperties {
  const { enabled, ...own } = withoutDefaults(file.schema).properties;
  return isSpecified ? own : { enabled, ...own };
}

/** What is sent: the members of the file, and the secrets beside them. */
export function bodyOf(connector: Connector): TObject {
  const secrets = Object.entries(connector.secrets).map(([member, { about, key }]) => [
    member,
    Type.Optional(
      Maybe(
        Type.String({
          minLength: 1,
          maxLength: SECRET_CHARS_MAX,
          description: `${about} Kept as the secret \`${key}\` and never shown; left out, the stored one stays.`,
        }),
      ),
    ),
  ]);
  return Type.Object(
    { ...membersOf(connector), ...Object.fromEntries(secrets) },
    { additionalProperties: false, title: `${nameOf(connector)}Settings` },
  );
}

/** What is shown: the members of the file, and which secrets are stored. */
export function replyOf(connector: Connector): TObject {
  const secrets = Object.keys(connector.secrets).map((member) => [
    presenceOf(member),
    Type.Boolean({ description: `Whether there is a \`${member}\`.` }),
  ]);
  const webhookUrl = Type.String({
    description: "Where the vendor sends to. Whoever knows it can try to; keep it to yourself.",
  });
  return Type.Object(
    {
      ...membersOf(connector),
      ...Object.fromEntries(secrets),
      ...(hasAddress(connector) ? { webhookUrl } : {}),
    },
    { title: `${nameOf(connector)}Extension` },
  );
}

const EXAMPLE_TOKEN = "0VfQm3Ks00x7Rk2LwPq9Zt4hJ6nB8vC1xD3sF5gL";

/** The documented answer, made from the documented request. */
export function replyExampleOf(connector: Connector): Record<string, unknown> {
  const { secrets, example, name } = connector;
  const settings = Object.entries(example).filter(([member]) => !(member in secrets));
  const url = `https://passes.example/api/cafe-lune/extensions/${name}/webhooks/${EXAMPLE_TOKEN}`;
  return {
    ...Object.fromEntries(settings),
    ...Object.fromEntries(Object.keys(secrets).map((member) => [presenceOf(member), true])),
    ...(hasAddress(connector) ? { webhookUrl: url } : {}),
  };
}

/** A connector as the gallery shows it. */
export const ExtensionSummary = Type.Object(
  {
    name: Type.String({ examples: ["shopify"] }),
    kind: Type.Enum(CONNECTOR_KINDS),
    title: Type.String({ description: "The vendor." }),
    about: Type.String({ description: "What it does, in a sentence or two." }),
    configured: Type.Boolean({ description: "Whether the tenant has settings for it." }),
    enabled: Type.Boolean({ description: "Whether it works: configured, and not switched off." }),
    webhookUrl: Maybe(
      Type.String({ description: "Where the vendor sends to; null if it sends nothing." }),
    ),
    journeySteps: Type.Array(
      Type.Object(
        {
          action: Type.Enum([...JOURNEY_ACTIONS]),
          url: Type.String({ description: "What the step calls, with an API key." }),
          body: Maybe(
            Type.String({
              description:
                "A body to copy, with the vendor's own tags; null if the vendor sends a form of its own.",
            }),
          ),
        },
        { title: "JourneyStep" },
      ),
      { description: "What steps of journeys at the vendor may call; empty if it has none." },
    ),
    secrets: Type.Record(Type.String(), Type.Boolean(), {
      description: "Which secrets are stored, by the member that sends them.",
    }),
    lastDeliveryAt: Maybe(Moment),
    waiting: Type.Integer({ description: "Deliveries that are not done yet." }),
    failures: Type.Integer({ description: "Deliveries that failed within the last day." }),
    problem: Maybe(Type.String({ description: "What somebody should look at, in a sentence." })),
  },
  { title: "ExtensionSummary" },
);
export type ExtensionSummary = Static<typeof ExtensionSummary>;

export const SUMMARY_EXAMPLE: ExtensionSummary = {
  name: "shopify",
  kind: "point-of-sale",
  title: "Shopify",
  about: "Customers of a shop get a pass, and paid orders give value to it.",
  configured: true,
  enabled: true,
  webhookUrl: `https://passes.example/api/cafe-lune/extensions/shopify/webhooks/${EXAMPLE_TOKEN}`,
  journeySteps: [],
  secrets: { clientSecret: true },
  lastDeliveryAt: "2026-01-31T09:30:00.000Z",
  waiting: 0,
  failures: 0,
  problem: null,
};

export const ExtensionParams = Type.Object({
  tenantId: Type.String(),
  connector: Type.String({ description: "The connector, by its name.", examples: ["shopify"] }),
});

export const ExtensionTest = Type.Object(
  {
    ok: Type.Boolean(),
    errors: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: "What is wrong, by member of the settings.",
    }),
  },
  { title: "ExtensionTest" },
);
export type ExtensionTest = Static<typeof ExtensionTest>;

export const RotatedAddress = Type.Object(
  {
    webhookUrl: Type.String({ description: "The new address, to be given to the vendor." }),
    formerUntil: Type.String({
      format: "date-time",
      description: "Until then the address of before is served too.",
    }),
  },
  { title: "RotatedAddress" },
);

export const ROTATED_EXAMPLE: Static<typeof RotatedAddress> = {
  webhookUrl: `https://passes.example/api/cafe-lune/extensions/shopify/webhooks/${EXAMPLE_TOKEN}`,
  formerUntil: "2026-02-01T09:30:00.000Z",
};

/** Settings as they are shown. */
export function presentSettings(
  connector: Connector,
  { enabled = true, ...settings }: Settings,
  stored: ReadonlySet<string>,
  webhookUrl: string | undefined,
): Record<string, unknown> {
  const { secrets, isSpecified } = connector;
  const present = Object.entries(secrets).map(([member, { key }]) => [
    presenceOf(member),
    stored.has(key),
  ]);
  return {
    ...settings,
    ...(isSpecified ? {} : { enabled }),
    ...Object.fromEntries(present),
    ...(hasAddress(connector) ? { webhookUrl } : {}),
  };
}
