import { defineError } from "#kernel/errors.ts";

export const googleClassNotFound = defineError<{ classId: string }>({
  code: "google-class.not-found",
  status: 404,
  title: "No such class",
  detail: ({ classId }) => `Nothing was sent to Google under the class '${classId}' so far.`,
});

export const googleClassByPasses = defineError<{ passType: string }>({
  code: "google-class.made-by-passes",
  status: 409,
  title: "The type has many classes",
  detail: ({ passType }) =>
    `Passes of the type '${passType}' have one class for each event, flight or offer. These are made with their passes.`,
});
