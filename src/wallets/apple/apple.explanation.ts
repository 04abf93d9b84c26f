import type { ContentExplainer, FieldLimit } from "#src/content/public.ts";
import { APPLE_FIXED_MEMBERS, buildPassJson } from "./apple.content.ts";
import { ROOMS } from "./apple.lint.ts";

/** The members that identify a pass are not explained, so any identity will do. */
const IDENTITY = { passTypeIdentifier: "pass.example", teamIdentifier: "EXAMPLE000" };

export const appleExplainer: ContentExplainer = {
  wallet: "apple",
  name: "Apple Wallet",
  build: (template, pass) => buildPassJson(template, pass, IDENTITY),
  layoutOf: ({ apple }) => apple,
  layoutFile: (passType) => `layouts/${passType}.apple.yml`,
  fixedMembers: APPLE_FIXED_MEMBERS,
  /** Fields that are empty take no room, so the next one moves up. */
  limits({ kind }, { fields }) {
    const limits = new Map<string, FieldLimit>();
    for (const { sections, max, row } of ROOMS[kind]) {
      const shown = sections
        .flatMap((section) => fields[section])
        .filter((field) => field.text !== "" && (row === undefined || (field.row ?? 0) === row));
      const place = sections.map((section) => `'${section}'`).join(" and ");
      const text = `Apple Wallet has room for ${max} in ${place} on a pass of kind '${kind}'.`;
      for (const { key } of shown.slice(max)) {
        limits.set(key, { code: "front-limit", text, isShown: false });
      }
    }
    return limits;
  },
};
