import Type, { type Static } from "typebox";
import type { DataSchema, Template } from "#src/templates/public.ts";
import type { PassType } from "../pass.types.ts";

const MaybeText = Type.Union([Type.String(), Type.Null()]);
const Names = Type.Array(Type.String());
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

const PassTypeField = Type.Object(
  {
    name: Type.String({ description: "Its name in `additionalData`." }),
    title: Type.Union([Type.String(), Type.Null()], { description: "What people call it." }),
    description: MaybeText,
    type: Type.Union([Type.String(), Type.Null()], {
      description: "Its type in JSON Schema; null if any value will do.",
    }),
    format: Type.Union([Type.String(), Type.Null()], {
      description: "The form of a text, such as `date` or `email`.",
    }),
    options: Type.Union([Type.Array(Scalar), Type.Null()], {
      description: "The values that are allowed; null if others are, too.",
    }),
    isRequired: Type.Boolean(),
    sample: Type.Unknown({
      description: "A value to try it with; null if the template has none.",
    }),
  },
  { title: "PassTypeField" },
);
type PassTypeField = Static<typeof PassTypeField>;

export const PassTypeView = Type.Object(
  {
    passType: Type.String({ description: "The name of the template, as `passType` takes it." }),
    name: Type.String({ description: "What the issuer calls it." }),
    kind: Type.String({ description: "Such as `loyalty`, `coupon` or `eventTicket`." }),
    languages: Type.Array(Type.String(), {
      description: "The language of the template first, then those it is translated into.",
    }),
    wallets: Type.Array(Type.Enum(["apple", "google"]), {
      description: "The wallets that can hold it. One template makes passes for both.",
    }),
    identifiers: Type.Object({ required: Names, unique: Names }),
    fields: Type.Array(PassTypeField, { description: "What a pass holds in `additionalData`." }),
    allowsOtherFields: Type.Boolean({
      description: "True if `additionalData` may have members besides `fields`.",
    }),
    privileges: Type.Array(
      Type.Object({ id: Type.String(), name: Type.String(), unit: MaybeText }),
      { description: "What every new pass is given." },
    ),
  },
  { title: "PassType" },
);
export type PassTypeView = Static<typeof PassTypeView>;

export function presentPassType({ rules, template, published }: PassType): PassTypeView {
  const data = template.data as DataSchema | undefined;
  return {
    passType: rules.passType,
    name: template.name,
    kind: published.kind,
    languages: [...published.locales.languages],
    wallets: ["apple", "google"],
    identifiers: { required: [...rules.required], unique: [...rules.unique] },
    fields: fieldsOf(data),
    allowsOtherFields: data?.additionalProperties !== false,
    privileges: (template.privileges ?? []).map(presentPrivilege),
  };
}

function fieldsOf(data: DataSchema | undefined): PassTypeField[] {
  const required = new Set(data?.required);
  return Object.entries(data?.properties ?? {}).map(([name, field]) => ({
    name,
    title: field.title ?? null,
    description: field.description ?? null,
    type: field.type ?? null,
    format: field.format ?? null,
    options: field.enum ?? (field.const === undefined ? null : [field.const]),
    isRequired: required.has(name),
    sample: field.examples?.[0] ?? field.default ?? null,
  }));
}

function presentPrivilege({ id, name, unit }: NonNullable<Template["privileges"]>[number]) {
  return { id, name, unit: unit ?? null };
}

export const PASS_TYPE_EXAMPLE: PassTypeView = {
  passType: "loyalty",
  name: "Gold Club",
  kind: "loyalty",
  languages: ["en", "fr"],
  wallets: ["apple", "google"],
  identifiers: { required: ["loyalty.number"], unique: ["loyalty.number"] },
  fields: [
    {
      name: "firstName",
      title: "First name",
      description: null,
      type: "string",
      format: null,
      options: null,
      isRequired: true,
      sample: "Camille",
    },
  ],
  allowsOtherFields: true,
  privileges: [{ id: "points", name: "Points", unit: null }],
};
