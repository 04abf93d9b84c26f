import type { ProblemError } from "#kernel/errors.ts";
import type { NotificationSent } from "../notifications/notification.schema.ts";
import type { PassChange, PassCreate } from "../pass.schema.ts";

/** What can be wished for a pass, as one row of a file says it. */
export type PassWish = {
  readonly action: "upsert" | "update" | "disable" | "delete" | "notify";
  /** Needed for a new pass; where it is missing, a pass of any type is found. */
  readonly passType?: string | undefined;
  /** The pass itself; without it, the identifiers say which pass is meant. */
  readonly passId?: string | undefined;
  readonly identifiers: NonNullable<PassChange["identifiers"]>;
  readonly additionalData?: PassChange["additionalData"];
  readonly expirationDate?: PassChange["expirationDate"];
  readonly status?: PassChange["status"];
  /** Sent after the change, if there is one: the pass must be active then. */
  readonly notification?: NotificationSent | undefined;
  /** Values to set in what companions keep, by the name of the companion. */
  readonly companions?: Readonly<Record<string, ReadonlyMap<string, string>>> | undefined;
};

/** What became of a wish. */
export type WishResult =
  | {
      readonly result: "created" | "updated" | "unchanged" | "deleted" | "notified";
      readonly passId: string;
    }
  | {
      readonly result: "failed";
      /** The pass that was meant, if there is one. */
      readonly passId: string | undefined;
      readonly problem: ProblemError;
    };

/** Whether the wish changes what a pass holds: all others need the identifiers only to find it. */
export function isChange({ action }: PassWish): boolean {
  return action === "upsert" || action === "update";
}

/** The contents of the pass that a wish creates. What the wish clears is simply not there. */
export function creationOf({ identifiers, additionalData, expirationDate }: PassWish): PassCreate {
  return {
    identifiers: present(identifiers),
    ...(additionalData === undefined ? {} : { additionalData: present(additionalData) }),
    ...(expirationDate === undefined ? {} : { expirationDate }),
  };
}

/** The change that a wish makes in a pass that is there. */
export function changeOf(wish: PassWish): PassChange {
  if (wish.action === "disable") return { status: "disabled" };
  const { identifiers, additionalData, expirationDate, status } = wish;
  return {
    ...(isEmpty(identifiers) ? {} : { identifiers }),
    ...(isEmpty(additionalData) ? {} : { additionalData }),
    ...(expirationDate === undefined ? {} : { expirationDate }),
    ...(status === undefined ? {} : { status }),
  };
}

function isEmpty(members: object | undefined): boolean {
  return members === undefined || Object.keys(members).length === 0;
}

/** The members that have a value. */
export function present<Value>(
  members: Readonly<Record<string, Value | null>>,
): Record<string, Value> {
  const kept: Record<string, Value> = {};
  for (const [name, value] of Object.entries(members)) if (value !== null) kept[name] = value;
  return kept;
}
