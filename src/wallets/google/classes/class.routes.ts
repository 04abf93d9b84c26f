import Type from "typebox";
import { defineRoute } from "#kernel/http/route.ts";
import {
  googleDenied,
  googleNotConfigured,
  googleRefused,
  googleUnavailable,
} from "../google.errors.ts";
import { googleClassByPasses, googleClassNotFound } from "./class.errors.ts";
import { CLASS_LIST, listClasses } from "./class.repository.ts";
import {
  CLASS_EXAMPLE,
  ClassParams,
  ClassSync,
  GoogleClassView,
  presentClass,
} from "./class.schema.ts";
import { getClass, syncClass } from "./class.service.ts";

export const classList = defineRoute({
  op: "google-class.list",
  method: "GET",
  url: "/api/:tenantId/extensions/google/classes",
  scope: "Extension.Read",
  summary: "List the classes at Google Wallet",
  description:
    "A class is what all passes of a type, or of one event or flight, have in common at Google.",
  list: CLASS_LIST,
  reply: Type.Array(GoogleClassView),
  example: { reply: [CLASS_EXAMPLE] },
  handle: listClasses,
});

export const classGet = defineRoute({
  op: "google-class.get",
  method: "GET",
  url: "/api/:tenantId/extensions/google/classes/:classId",
  scope: "Extension.Read",
  summary: "Read one class at Google Wallet",
  params: ClassParams,
  reply: GoogleClassView,
  errors: [googleClassNotFound],
  example: { reply: CLASS_EXAMPLE },
  async handle(context, { params }) {
    return presentClass(await getClass(context, params.classId));
  },
});

export const classSync = defineRoute({
  op: "google-class.sync",
  method: "POST",
  url: "/api/:tenantId/extensions/google/classes",
  scope: "Extension.Write",
  summary: "Send the class of a pass type to Google now",
  description:
    "Makes the class, or changes it to what the published template says, and returns what Google said. Classes are also sent by themselves, with the first pass that needs them.",
  body: ClassSync,
  reply: GoogleClassView,
  inSteps: true,
  errors: [
    googleClassByPasses,
    googleNotConfigured,
    googleDenied,
    googleRefused,
    googleUnavailable,
  ],
  example: { body: { passType: "loyalty" }, reply: CLASS_EXAMPLE },
  async handle(context, { body }) {
    return presentClass(await syncClass(context, body.passType));
  },
});
