/** HTML that is safe to send. Only `html` creates it, so no unescaped text can get into a page. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | undefined | readonly Html[];

export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  let text = strings[0] ?? "";
  for (const [index, value] of values.entries()) text += render(value) + strings[index + 1];
  return new Html(text);
}

function render(value: Piece): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map((part) => part.text).join("");
  return escapeText(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for use between tags and inside the quotes of an attribute. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
