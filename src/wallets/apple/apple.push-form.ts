import type { AppleSettings } from "./apple.schema.ts";

/** How Apple's push service is asked to treat the pushes of a tenant. */
export type PushForm = { readonly type: "background" | "alert"; readonly priority: 5 | 10 };

/**
 * `background` and 5 unless the tenant has settings of its own. Apple documents no type for passes; other
 * programs that push to passes send this one, and developers who tried `alert` against late pushes report no
 * difference.
 */
export function pushForm({ push = {} }: Pick<AppleSettings, "push">): PushForm {
  const { type = "background" } = push;
  return { type, priority: push.priority ?? (type === "alert" ? 10 : 5) };
}

/** True for a combination that Apple answers with 400 BadPriority. */
export function isRefusedForm({ type, priority }: PushForm): boolean {
  return type === "background" && priority === 10;
}
