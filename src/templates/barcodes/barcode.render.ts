import type { CompiledLayout } from "../layout.compile.ts";
import type { JsonObject } from "../layout.merge.ts";
import type { RenderBudget } from "../liquid/budget.ts";
import type { CompiledTemplate } from "../template.compiled.ts";
import type { BarcodeFormat } from "../template.schema.ts";
import { problemAt, type RenderProblem, type TemplateValue } from "../template.value.ts";
import { barcodeProblem } from "./barcode.problem.ts";
import {
  LAYOUT_BARCODES_MAX,
  type LeftOutBarcode,
  leftOutBarcodes,
  type TemplateBarcode,
} from "./layout.barcodes.ts";

export type RenderedBarcode = {
  readonly message: string;
  readonly text: string;
  /** False for one without a message, too. The message stays, because people may type it in; wallets get no code. */
  readonly canExist: boolean;
};

type Rendering = {
  readonly format: BarcodeFormat | undefined;
  readonly budget: RenderBudget;
  readonly problems: RenderProblem[];
};

export function renderBarcode(
  { message, text }: NonNullable<CompiledTemplate["barcode"]>,
  render: (value: TemplateValue | undefined) => string,
  { format, budget, problems }: Rendering,
): RenderedBarcode {
  const barcode = { message: render(message), text: render(text) };
  const reason = format && barcodeProblem(format, barcode.message, { budget });
  if (reason !== undefined) {
    problems.push(problemAt(message, "no-barcode", `${reason}: the pass has no barcode`));
  }
  return { ...barcode, canExist: reason === undefined && barcode.message !== "" };
}

export type LayoutWithBarcodes = {
  readonly rendered: Readonly<JsonObject>;
  readonly leftOut: readonly LeftOutBarcode[];
};

/** The layout with as many barcodes as it may list, and those of them that cannot exist. */
export function judgeBarcodes(
  layout: CompiledLayout,
  made: Readonly<JsonObject>,
  barcode: RenderedBarcode | undefined,
  { format, budget, problems }: Rendering,
): LayoutWithBarcodes {
  const note = (pointer: (string | number)[], message: string) => {
    problems.push(problemAt({ ...layout.keyAt(pointer), pointer }, "no-barcode", message));
  };
  let rendered = made;
  const { barcodes } = made;
  if (Array.isArray(barcodes) && barcodes.length > LAYOUT_BARCODES_MAX) {
    rendered = { ...made, barcodes: barcodes.slice(0, LAYOUT_BARCODES_MAX) };
    const message = `has ${barcodes.length} barcodes: those after the first ${LAYOUT_BARCODES_MAX} are left out`;
    note(["barcodes"], message);
  }
  const templateBarcode: TemplateBarcode | undefined = barcode && format && { ...barcode, format };
  const leftOut = leftOutBarcodes(rendered, templateBarcode, budget);
  for (const { path, problem } of leftOut) {
    if (problem !== undefined) note([...path, "message"], `${problem}: this barcode is left out`);
  }
  return { rendered, leftOut };
}
