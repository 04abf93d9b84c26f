import type { TSchema } from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import {
  type Expiry,
  type PublishedTemplate,
  type PublishedTemplates,
  type Template,
  templatesOf,
} from "#src/templates/public.ts";
import type { ChangeGround } from "./pass.change.ts";
import type { PassRules } from "./pass.rules.ts";
import type { Pass } from "./pass.schema.ts";

/** The pass types of a tenant, by the templates that are valid for this call. */
export type PassTypes = {
  readonly names: readonly string[];
  find(passType: string): PassType | undefined;
};

export type PassType = {
  readonly rules: PassRules;
  readonly template: Template;
  expiryOf(pass: Pass): Expiry;
};

const known = new WeakMap<PublishedTemplates, PassTypes>();

export async function passTypesOf(context: TenantContext): Promise<PassTypes> {
  const set = await templatesOf(context);
  let types = known.get(set);
  if (types === undefined) {
    types = readTypes(set);
    known.set(set, types);
  }
  return types;
}

function readTypes(set: PublishedTemplates): PassTypes {
  const byName = new Map(
    [...set.templates].map(([name, template]) => [name, readType(set, template)] as const),
  );
  return { names: [...byName.keys()], find: (passType) => byName.get(passType) };
}

function readType({ tenant }: PublishedTemplates, published: PublishedTemplate): PassType {
  const { passType, template } = published;
  return {
    template,
    rules: {
      passType,
      required: template.identifiers?.required ?? [],
      unique: template.identifiers?.unique ?? [],
      data: template.data as TSchema | undefined,
    },
    expiryOf({ id, identifiers, data, metadata, createdAt }) {
      return published.expiryOf({
        pass: { id, passType, creationDate: createdAt.toISOString(), expirationDate: null },
        identifiers,
        data,
        metadata,
        privileges: {},
        tenant,
      });
    },
  };
}

/** Passes of a type without a template keep their expiry. */
const WITHOUT_TEMPLATE: Pick<PassType, "expiryOf"> = {
  expiryOf: ({ expiresAt }) => ({ ok: true, at: expiresAt }),
};

export function groundFor(types: PassTypes, { passType }: Pass, now: Date): ChangeGround {
  const type = types.find(passType);
  const rules = type?.rules ?? { passType, required: [], unique: [], data: undefined };
  const { expiryOf } = type ?? WITHOUT_TEMPLATE;
  return { rules, now, expiryOf };
}
