import { hash } from "node:crypto";
import type { Answers } from "../form/form.answers.ts";

/** What a person is recognised by. */
export type Person = {
  /** The identifier that links the customer and the passes; undefined if nothing tells who it is. */
  readonly identifier: { readonly name: string; readonly value: string } | undefined;
  readonly key: Buffer;
};

const digest = (...parts: readonly string[]) => hash("sha256", JSON.stringify(parts), "buffer");

/**
 * The e-mail address says who a person is, or else the phone number. Without both, two forms are of
 * the same person only if they are the same form with the same answers, sent twice.
 */
export function personOf(answers: Answers, attempt: string): Person {
  const { email, phone } = answers.personal;
  if (email !== undefined) return recognised("enrolment.email", email.toLowerCase());
  if (phone !== undefined) return recognised("enrolment.phone", phone);
  return { identifier: undefined, key: digest("form", attempt, JSON.stringify(answers)) };
}

function recognised(name: string, value: string): Person {
  return { identifier: { name, value }, key: digest(name, value) };
}

/** Stored instead of the secret of a form. */
export function attemptKey(attempt: string): Buffer {
  return digest("attempt", attempt);
}
