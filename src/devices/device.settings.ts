import Type, { type Static } from "typebox";
import { parseDecimal } from "#kernel/decimal.ts";
import { isObject } from "#kernel/json.ts";
import { PRIVILEGE_ID } from "#src/templates/public.ts";

export const SETTINGS_BYTES_MAX = 16_384;
export const SETTINGS_DEPTH_MAX = 8;

const Amount = Type.Refine(
  Type.Number({ exclusiveMinimum: 0 }),
  (amount) => parseDecimal(amount) !== undefined,
  () => "must be a number of at most 15 digits before the point and 4 after it",
);

const known = {
  passTypes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description:
        "The types of passes that the device accepts: its scans of others are rejected with `wrong-pass-type` and redeem nothing, and its gate list holds no others. Without it, all.",
      examples: [["loyalty"]],
    }),
  ),
  redeem: Type.Optional(
    Type.Object(
      {
        privilegeId: Type.String({ ...PRIVILEGE_ID, examples: ["entry"] }),
        amount: Amount,
      },
      {
        additionalProperties: false,
        description:
          "What the scanner page redeems by every accepted scan, and what the gate list for this device is made for. Without it, nothing. The service redeems what a scan asks for, whatever stands here.",
      },
    ),
  ),
  location: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Where the device stands; its scans carry it.",
      examples: ["North door"],
    }),
  ),
  sound: Type.Optional(
    Type.Boolean({ description: "Whether the scanner page makes a sound. Without it, it does." }),
  ),
  language: Type.Optional(
    Type.String({
      pattern: "^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$",
      mustBe: "a language tag, such as 'en' or 'pt-BR'",
      description: "The language of the scanner page. Without it, that of the browser.",
      examples: ["fr"],
    }),
  ),
};

/** Members that the scanner page knows are checked; all others are kept for other scanners. */
export const DeviceSettings = Type.Object(known, {
  additionalProperties: true,
  title: "DeviceSettings",
  description: `How the device scans. The members named here are those that the scanner page reads; further ones are kept as they are sent. At most ${SETTINGS_BYTES_MAX} bytes and ${SETTINGS_DEPTH_MAX} levels.`,
});
export type DeviceSettings = Static<typeof DeviceSettings>;

/** What is wrong with the settings as a whole; undefined if nothing is. */
export function settingsProblem(settings: DeviceSettings): string | undefined {
  if (depthOf(settings) > SETTINGS_DEPTH_MAX) {
    return `must not be nested deeper than ${SETTINGS_DEPTH_MAX} levels`;
  }
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  return bytes > SETTINGS_BYTES_MAX
    ? `must have at most ${SETTINGS_BYTES_MAX} bytes as JSON, and has ${bytes}`
    : undefined;
}

function depthOf(value: unknown): number {
  const children = Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.values(value)
      : undefined;
  if (children === undefined) return 0;
  return 1 + children.reduce<number>((deepest, child) => Math.max(deepest, depthOf(child)), 0);
}
