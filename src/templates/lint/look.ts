import type { Finding } from "#src/files/public.ts";
import type { CompiledLayout } from "../layout.compile.ts";
import type { CompiledTemplate } from "../template.compiled.ts";
import { colorLowContrast, colorUnreadable } from "./findings.ts";

/** WCAG asks for this contrast for large text. */
const CONTRAST_MIN = 3;

export function contrastFindings({ template: { colors = {} }, at }: CompiledTemplate): Finding[] {
  const { background } = colors;
  if (background === undefined) return [];
  return (["foreground", "label"] as const).flatMap((name) => {
    const color = colors[name];
    if (color === undefined) return [];
    const ratio = contrast(background, color);
    return ratio < CONTRAST_MIN ? [colorLowContrast(at(["colors", name]), { name, ratio })] : [];
  });
}

/**
 * The contrast by WCAG 2.2: from 1 for equal colours to 21 for black on white. Colours are
 * `#rrggbb`.
 */
export function contrast(left: string, right: string): number {
  const [dark = 0, light = 0] = [luminance(left), luminance(right)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Reports members of a layout that are not colours in the form that the wallet reads. */
export function unreadableColors(
  layout: CompiledLayout | undefined,
  members: readonly string[],
  form: RegExp,
  example: string,
): Finding[] {
  if (layout === undefined) return [];
  return members
    .filter((member) => {
      const color = layout.source[member];
      const isLiquid = typeof color === "string" && color.includes("{");
      // `null` removes the colour, which is allowed.
      return color !== undefined && color !== null && !isLiquid && !form.test(String(color));
    })
    .map((member) => colorUnreadable(layout.keyAt([member]), { member, form: example }));
}
