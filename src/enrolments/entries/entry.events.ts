import Type from "typebox";
import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";

const text = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const members = {
  passId: Type.String(),
  passType: Type.String(),
  link: text("The code of the link that led to the form."),
  source: text("The campaign or place of that link."),
  storeId: text("The store of that link."),
  language: Type.String({ description: "The language of the form." }),
};

const EXAMPLE = {
  passId: "ps_0VfQm3Ks00x7Rk2LwPq9Zt",
  passType: "loyalty",
  link: "marais-door",
  source: "Poster at the door",
  storeId: "marais",
  language: "fr",
};

// Names and fields are a public contract: add new ones, but never rename or remove one.
export const enrolmentCompleted = defineEvent({
  name: "enrolment.completed",
  version: 1,
  summary: "Somebody got a pass by the public form. Consents stand in the metadata of the pass.",
  payload: Type.Object({ ...members, customerId: Type.String() }),
  example: { ...EXAMPLE, customerId: "cus_0VfQm3Ks00x7Rk2LwPq9Zt" },
});

export const enrolmentRepeated = defineEvent({
  name: "enrolment.repeated",
  version: 1,
  summary:
    "Somebody filled in the public form as a person who has such a pass. They were not shown it: send its link to the address you know.",
  payload: Type.Object(members),
  example: EXAMPLE,
});

export const enrolmentEvents: readonly EventDefinition[] = [enrolmentCompleted, enrolmentRepeated];
