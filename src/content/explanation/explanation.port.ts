import { definePort } from "#kernel/port.ts";
import type { LocalizedPass, PublishedTemplate, RenderedPass } from "#src/templates/public.ts";

type Document = Readonly<Record<string, unknown>>;

/** Why a wallet does not show a text, or shows it elsewhere than the template says. */
export type Rule = {
  /** Stable, in kebab case. */
  readonly code: string;
  /** For people. */
  readonly text: string;
};

export type FieldLimit = Rule & {
  /** True if the holder can still see the field, in another place. */
  readonly isShown: boolean;
};

/** What a wallet goes by beside the texts of a pass. */
export type PassFacts = {
  readonly data: Readonly<Record<string, unknown>>;
  /** True for a pass that is disabled or has expired. */
  readonly isOver: boolean;
};

/** What a wallet makes of a pass, for whoever explains it. */
export type ContentExplainer = {
  readonly wallet: "apple" | "google";
  /** The name that people know. */
  readonly name: string;
  /**
   * Makes the whole document that the wallet is sent. Must be pure: it is called with texts that
   * were changed, to see where they go.
   */
  build(template: PublishedTemplate, pass: LocalizedPass, facts: PassFacts): Document;
  /** The rendered layout, in the shape of that document. */
  layoutOf(layouts: RenderedPass["layouts"]): Document | undefined;
  /** The file of the layout of a pass type. */
  layoutFile(passType: string): string;
  /** Members of the document that a layout cannot set. */
  readonly fixedMembers: readonly string[];
  /**
   * Where a value of the layout stands in the document, by its path in the layout, or why nowhere. Without this, all
   * stand at the same path.
   */
  layoutPlace?(path: string, pass: RenderedPass): string | Rule;
  /** By the key of the field: fields for which the wallet has no room where they should stand. */
  limits(template: PublishedTemplate, pass: RenderedPass): ReadonlyMap<string, FieldLimit>;
  /**
   * Why the wallet has no place for this text, such as `nfc.message`; undefined if there is no more
   * to say than that.
   */
  noPlace(name: string, template: PublishedTemplate, facts: PassFacts): Rule | undefined;
};

export const contentExplainers = definePort<ContentExplainer>("content explainer");
