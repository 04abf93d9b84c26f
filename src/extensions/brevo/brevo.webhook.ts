import type { Unwrap } from "../kit/journey.ts";
import { fieldsOf } from "../kit/mapping.ts";
import { textAt } from "../kit/values.ts";

/**
 * Steps of automations send a body of Brevo's own: which contact came to which step, and what is known
 * of the contact. The settings say what of it goes onto the pass.
 */
export const unwrapBrevo: Unwrap = (sent, action, settings) => {
  const contactId = textAt(sent, "contact_id");
  const step = textAt(sent, "step_id");
  if (contactId === undefined || step === undefined) return sent;
  const { fields, text } = settings as {
    readonly fields?: Readonly<Record<string, string>>;
    readonly text?: string;
  };
  const identifiers = { "brevo.contactId": contactId };
  if (action !== "notifyPass") return { identifiers, additionalData: fieldsOf(fields, sent) };
  // Brevo tells a repetition from a second visit by nothing: a contact is told once for each step.
  const idempotencyKey = `${textAt(sent, "workflow_id") ?? ""} ${step}`;
  return { identifiers, idempotencyKey, ...(text === undefined ? {} : { notification: { text } }) };
};
