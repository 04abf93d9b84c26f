import type { components } from "../../../generated/schema.ts";

/** What the API says of a preview, and what is read from it. Types alone: tests use them too. */
export type Preview = components["schemas"]["Preview"];
export type PreviewRequest = components["schemas"]["PreviewRequest"];
export type PreviewImage = components["schemas"]["PreviewImage"];
export type Finding = components["schemas"]["Finding"];

export type BarcodeFormat = "qr" | "pdf417" | "aztec" | "code128";

export type ShownBarcode = {
  readonly format: BarcodeFormat;
  readonly message: string;
  readonly text: string;
};
