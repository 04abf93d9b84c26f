import type { Finding } from "#src/tenants/public.ts";
import type { CompiledLayout } from "./layout.compile.ts";
import { colorLowContrast, colorUnreadable } from "./lint.findings.ts";
import type { CompiledTemplate } from "./template.compile.ts";

export function colorFindings(compiled: CompiledTemplate): Finding[] {
  return [...contrastFindings(compiled), ...layoutColors(compiled)];
}

/** What the guidelines for accessible content ask of large text. */
const CONTRAST_MIN = 3;

function contrastFindings({ template: { colors = {} }, at }: CompiledTemplate): Finding[] {
  const { background } = colors;
  if (background === undefined) return [];
  return (["foreground", "label"] as const).flatMap((name) => {
    const color = colors[name];
    if (color === undefined) return [];
    const ratio = contrast(background, color);
    return ratio < CONTRAST_MIN ? [colorLowContrast(at(["colors", name]), { name, ratio })] : [];
  });
}

/** WCAG 2.2: from 1, no difference, to 21, black on white. Colours are `#rrggbb`. */
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

const BYTE = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const RGB = new RegExp(`^rgb\\(\\s*${BYTE}\\s*,\\s*${BYTE}\\s*,\\s*${BYTE}\\s*\\)$`);
const HEX = /^#[0-9a-f]{6}$/i;
const APPLE_COLORS = [
  ...["backgroundColor", "foregroundColor", "labelColor", "stripColor"],
  "footerBackgroundColor",
];
const GOOGLE_COLORS = ["hexBackgroundColor"];

function layoutColors({ layouts: { apple, googleClass, googleObject } }: CompiledTemplate) {
  return [
    ...unreadable(apple, APPLE_COLORS, RGB, "rgb(31, 42, 68)"),
    ...unreadable(googleClass, GOOGLE_COLORS, HEX, "#1f2a44"),
    ...unreadable(googleObject, GOOGLE_COLORS, HEX, "#1f2a44"),
  ];
}

function unreadable(
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
      // Null takes the colour away, which is a wish like any other.
      return color !== undefined && color !== null && !isLiquid && !form.test(String(color));
    })
    .map((member) => colorUnreadable(layout.keyAt([member]), { member, form: example }));
}
