import type { TSchema } from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import type { TenantTx } from "#kernel/db/transaction.ts";
import { definePort } from "#kernel/port.ts";
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
  /** Tells the modules above of new and changed passes, in the transaction that writes them. */
  tell(tx: TenantTx, steps: readonly PassStep[]): Promise<void>;
};

export type PassType = {
  readonly rules: PassRules;
  readonly template: Template;
  readonly published: PublishedTemplate;
  readonly tenant: PublishedTemplates["tenant"];
  expiryOf(pass: Pass): Expiry;
};

/** A new version of a pass; `before` is undefined for a new pass. */
export type PassStep = { readonly before: Pass | undefined; readonly after: Pass };

/**
 * A module above that keeps something for each version of a pass, by its template. It must wait for
 * no answer of the database (`tx.defer`), because bulk changes write thousands of passes.
 */
export type PassFollower = {
  follow(tx: TenantTx, steps: readonly PassStep[], types: PassTypes): Promise<void>;
};

export const passFollowers = definePort<PassFollower>("pass follower");

const known = new WeakMap<PublishedTemplates, PassTypes>();

export async function passTypesOf(context: TenantContext): Promise<PassTypes> {
  const set = await templatesOf(context);
  let types = known.get(set);
  if (types === undefined) {
    types = readTypes(set, context.runtime.ports.all(passFollowers));
    known.set(set, types);
  }
  return types;
}

function readTypes(set: PublishedTemplates, followers: readonly PassFollower[]): PassTypes {
  const byName = new Map(
    [...set.templates].map(([name, template]) => [name, readType(set, template)] as const),
  );
  const types: PassTypes = {
    names: [...byName.keys()],
    find: (passType) => byName.get(passType),
    async tell(tx, steps) {
      for (const follower of followers) await follower.follow(tx, steps, types);
    },
  };
  return types;
}

function readType({ tenant }: PublishedTemplates, published: PublishedTemplate): PassType {
  const { passType, template } = published;
  return {
    template,
    published,
    tenant,
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

/** What a caller is told who names a type that the tenant does not have. */
export function unknownType({ names }: PassTypes): string {
  if (names.length === 0) return "is not a type of this tenant, which has none yet";
  const some = names.slice(0, 10).join(", ");
  return `must be a type of this tenant: ${some}${names.length > 10 ? "…" : ""}`;
}
