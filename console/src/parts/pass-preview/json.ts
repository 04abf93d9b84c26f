/** Members of documents whose shape Apple and Google decide. */
export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const jsonAt = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isJson(inner) ? inner[name] : undefined), value);

export const listAt = (value: unknown, ...path: readonly string[]): Json[] => {
  const found = jsonAt(value, ...path);
  return Array.isArray(found) ? found.filter(isJson) : [];
};

export const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = jsonAt(value, ...path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
};
