import { isObject } from "#kernel/json.ts";
import type { CompiledTemplate, JsonObject, Kind } from "#src/templates/language/public.ts";

/**
 * From iOS 27 on, cards with an artwork are shown as a poster. The classic style stands beside it,
 * because older systems cannot install a poster alone.
 */
export const POSTER_STYLE = "posterGeneric";

/** Event tickets and boarding passes have rich styles of their own. */
const KINDS: readonly Kind[] = ["loyalty", "coupon", "giftCard", "generic"];

const HEADER_MAX = 1;
const PRIMARY_MAX = 4;
const FOOTER_MAX = 2;

/**
 * The poster of a card, made of the fields of its classic style; undefined without an artwork. What
 * finds no room on the front stands at the head of the back, so that nothing is lost.
 */
export function genericPoster(
  { kind, template }: Pick<CompiledTemplate, "kind" | "template">,
  classic: unknown,
): JsonObject | undefined {
  if (template.images?.artwork === undefined || !KINDS.includes(kind)) return undefined;
  if (!isObject(classic)) return undefined;
  const fieldsOf = (name: string): JsonObject[] => {
    const fields = classic[`${name}Fields`];
    return Array.isArray(fields) ? fields.filter(isObject) : [];
  };
  const [header, footer] = [fieldsOf("header"), fieldsOf("auxiliary")];
  const primary = [...fieldsOf("primary"), ...fieldsOf("secondary")];
  const rest = [
    ...header.slice(HEADER_MAX),
    ...primary.slice(PRIMARY_MAX),
    ...footer.slice(FOOTER_MAX),
  ];
  const groups: [string, JsonObject[]][] = [
    ["headerFields", header.slice(0, HEADER_MAX)],
    ["primaryFields", primary.slice(0, PRIMARY_MAX).map(unaligned)],
    ["footerFields", footer.slice(0, FOOTER_MAX)],
    ["backFields", [...rest.map(unaligned), ...fieldsOf("back")]],
  ];
  return Object.fromEntries(groups.filter(([, fields]) => fields.length > 0));
}

/** Primary fields and those of the back have no alignment. */
function unaligned({ textAlignment: _, ...field }: JsonObject): JsonObject {
  return field;
}
