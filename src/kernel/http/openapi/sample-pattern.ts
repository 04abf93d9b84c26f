const CLASSES: Readonly<Record<string, string>> = {
  d: "123",
  w: "abc",
  s: " ",
  S: "abc",
  D: "abc",
};
const ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/+= ";
const REPEATS_TRIED = 128;

/**
 * A text that a pattern accepts, for documentation: the same one every time. Knows the part of the
 * language that patterns of fields use; throws for the rest, so that the author gives an example.
 */
export function samplePattern(pattern: string, lengthMin = 0): string {
  const wanted = new RegExp(pattern, "u");
  for (let repeats = 0; repeats <= REPEATS_TRIED; repeats += 1) {
    const text = new Sampler(pattern, repeats).run();
    if (text.length >= lengthMin && wanted.test(text)) return text;
  }
  throw new TypeError(`No example can be made for /${pattern}/: give the schema one.`);
}

class Sampler {
  readonly #pattern: string;
  /** How often an open quantifier repeats beyond its minimum. */
  readonly #repeats: number;
  #position = 0;

  constructor(pattern: string, repeats: number) {
    this.#pattern = pattern;
    this.#repeats = repeats;
  }

  run(): string {
    const text = this.#alternatives();
    if (this.#position < this.#pattern.length) this.#refuse();
    return text;
  }

  /** The first alternative is as good as any; the others are read to find their end. */
  #alternatives(): string {
    const first = this.#sequence();
    while (this.#take("|")) this.#sequence();
    return first;
  }

  #sequence(): string {
    let text = "";
    while (this.#position < this.#pattern.length && !/[|)]/.test(this.#peek())) {
      const choices = this.#atom();
      const count = this.#count();
      for (let index = 0; index < count; index += 1) text += choices[index % choices.length] ?? "";
    }
    return text;
  }

  /** What may stand here: repeating an atom cycles through its choices. */
  #atom(): readonly string[] {
    const char = this.#next();
    switch (char) {
      case "^":
      case "$":
        return [""];
      case ".":
        return [..."abc"];
      case "\\":
        return this.#escape();
      case "[":
        return this.#class();
      case "(":
        return [this.#group()];
      default:
        return [char];
    }
  }

  #group(): string {
    if (this.#take("?")) {
      if (!this.#take(":")) this.#refuse();
    }
    const text = this.#alternatives();
    if (!this.#take(")")) this.#refuse();
    return text;
  }

  #escape(): readonly string[] {
    const char = this.#next();
    if (CLASSES[char] !== undefined) return [...CLASSES[char]];
    if (char === "x") {
      const code = this.#next() + this.#next();
      return [String.fromCharCode(Number.parseInt(code, 16))];
    }
    if (/[A-Za-z0-9]/.test(char)) this.#refuse();
    return [char];
  }

  /** The class is handed to the real engine: whatever it holds, some of our characters fit. */
  #class(): readonly string[] {
    const start = this.#position - 1;
    while (this.#peek() !== "]") {
      if (this.#next() === "\\") this.#next();
    }
    this.#next();
    const inside = new RegExp(this.#pattern.slice(start, this.#position), "u");
    const choices = [...ALPHABET].filter((char) => inside.test(char));
    return choices.length > 0 ? choices : this.#refuse();
  }

  #count(): number {
    if (this.#take("*") || this.#take("?")) return Math.min(this.#repeats, 1);
    if (this.#take("+")) return 1 + this.#repeats;
    if (!this.#take("{")) return 1;
    const end = this.#pattern.indexOf("}", this.#position);
    const [min = "0", max] = this.#pattern.slice(this.#position, end).split(",");
    this.#position = end + 1;
    const most = max === undefined ? Number(min) : Number(max || Number.POSITIVE_INFINITY);
    return Math.min(Number(min) + this.#repeats, most);
  }

  #peek(): string {
    return this.#pattern.charAt(this.#position) || this.#refuse();
  }

  #next(): string {
    const char = this.#peek();
    this.#position += 1;
    return char;
  }

  #take(char: string): boolean {
    if (this.#pattern.charAt(this.#position) !== char) return false;
    this.#position += 1;
    return true;
  }

  #refuse(): never {
    throw new TypeError(`No example can be made for /${this.#pattern}/: give the schema one.`);
  }
}
