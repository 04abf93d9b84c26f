import { defineFinding, type FindingKind } from "../finding.ts";

/*
 * The problems that a YAML file can have before and during the check of its schema. All are errors,
 * because a misread file is worse than a refused file.
 */

export const YAML_BYTES_MAX = 256 * 1024;
export const YAML_DEPTH_MAX = 32;

export const yamlTooLarge = defineFinding({
  code: "yaml.too-large",
  severity: "error",
  summary: `A YAML file may have ${YAML_BYTES_MAX / 1024} KiB at most.`,
  hint: "Split it, or take out what is not needed.",
});

export const yamlEncoding = defineFinding({
  code: "yaml.encoding",
  severity: "error",
  summary: "The file is not valid UTF-8.",
  hint: "Save the file in the encoding UTF-8.",
});

export const yamlCharacter = defineFinding({
  code: "yaml.character",
  severity: "error",
  summary: "The file contains a character that has no place in a text.",
  message: ({ code }: { code: number }) =>
    `The character U+${code.toString(16).toUpperCase().padStart(4, "0")} has no place in a text.`,
  hint: "Remove the character; most editors can show invisible ones.",
});

export const yamlSyntax = defineFinding({
  code: "yaml.syntax",
  severity: "error",
  summary: "The file cannot be read as YAML.",
  message: ({ problem }: { problem: string; advice?: string | undefined }) => problem,
  hint: "Check the indentation, and put values with special characters in quotes.",
  advice: ({ advice }) => advice,
});

export const yamlDocuments = defineFinding({
  code: "yaml.documents",
  severity: "error",
  summary: "The file holds more than one YAML document.",
  hint: "Remove the line '---' and what follows, or make it a file of its own.",
});

export const yamlDirective = defineFinding({
  code: "yaml.directive",
  severity: "error",
  summary: "YAML directives are not supported.",
  hint: "Remove the line that starts with '%'.",
});

export const yamlAlias = defineFinding({
  code: "yaml.alias",
  severity: "error",
  summary: "YAML anchors (&) and aliases (*) are not supported.",
  hint: "Write the value out, or put it in quotes when '&' or '*' is meant as text.",
});

export const yamlTag = defineFinding({
  code: "yaml.tag",
  severity: "error",
  summary: "YAML tags (!) are not supported.",
  hint: "Remove the tag, or put the value in quotes when '!' is meant as text.",
});

export const yamlDepth = defineFinding({
  code: "yaml.depth",
  severity: "error",
  summary: `Values may be nested ${YAML_DEPTH_MAX} levels deep at most.`,
  hint: "Make the structure flatter.",
});

export const yamlTooComplex = defineFinding({
  code: "yaml.too-complex",
  severity: "error",
  summary: "The file has too many values: some 20,000 are read.",
  hint: "Take out what is not needed, or split the file where several of its kind may be.",
});

export const yamlKey = defineFinding({
  code: "yaml.key",
  severity: "error",
  summary: "A key must be a text.",
  message: ({ key }: { key?: string | undefined }) =>
    key === undefined ? "A key must be a text." : `'${key}' cannot be a key.`,
  hint: "Give the value a name; put it in quotes when it holds special characters.",
});

export const yamlDuplicateKey = defineFinding({
  code: "yaml.duplicate-key",
  severity: "error",
  summary: "The same key is there twice.",
  message: ({ key }: { key: string; firstLine: number }) => `The key '${key}' is there twice.`,
  hint: "Remove one of the two.",
  advice: ({ firstLine }) => `The first one is in line ${firstLine}. Remove one of the two.`,
});

export const yamlNumber = defineFinding({
  code: "yaml.number",
  severity: "error",
  summary: "A number cannot be kept exactly as it is written.",
  message: ({ source }: { source: string }) => `The number ${source} cannot be kept exactly.`,
  hint: "Put it in quotes when it is a text or an identifier.",
});

type Missing = { name: string; parent: string };
export const schemaMissingProperty = defineFinding({
  code: "schema.missing-property",
  severity: "error",
  summary: "A property that is needed is missing.",
  message: ({ name, parent }: Missing) => `'${name}' is missing in ${parent}.`,
  hint: "Add the property.",
  advice: ({ name }) => `Add '${name}:' with a value.`,
});

type Unknown = {
  name: string;
  parent: string;
  meant: string | undefined;
  known: readonly string[];
};
export const schemaUnknownProperty = defineFinding({
  code: "schema.unknown-property",
  severity: "error",
  summary: "A property has a name that is not known.",
  message: ({ name, parent }: Unknown) => `'${name}' is not a known property of ${parent}.`,
  hint: "Check the spelling, or remove the property.",
  advice: ({ meant, known }) => {
    if (meant !== undefined) return `Did you mean '${meant}'?`;
    return known.length === 0 ? undefined : `Known properties: ${known.join(", ")}.`;
  },
});

type WrongType = { field: string; expected: string; actual: string; advice: string | undefined };
export const schemaWrongType = defineFinding({
  code: "schema.wrong-type",
  severity: "error",
  summary: "A value is of the wrong type.",
  message: ({ field, expected, actual }: WrongType) =>
    `${field} must be ${expected}, not ${actual}.`,
  hint: "Write a value of the type expected.",
  advice: ({ advice }) => advice,
});

type NotAllowed = { field: string; allowed: readonly string[]; meant: string | undefined };
export const schemaNotAllowed = defineFinding({
  code: "schema.not-allowed",
  severity: "error",
  summary: "A value is not one of those allowed.",
  message: ({ field, allowed }: NotAllowed) => `${field} must be ${oneOf(allowed)}.`,
  hint: "Use one of the values allowed.",
  advice: ({ meant }) => (meant === undefined ? undefined : `Did you mean '${meant}'?`),
});

type Pattern = { field: string; expected: string | undefined };
export const schemaPattern = defineFinding({
  code: "schema.pattern",
  severity: "error",
  summary: "A text is not in the form expected.",
  message: ({ field }: Pattern) => `${field} is not in the form expected.`,
  hint: "Look the form up in the documentation of the file.",
  advice: ({ expected }) => expected,
});

type OutOfRange = { field: string; problem: string };
export const schemaOutOfRange = defineFinding({
  code: "schema.out-of-range",
  severity: "error",
  summary: "A value, a text or a list is too small or too large.",
  message: ({ field, problem }: OutOfRange) => `${field} ${problem}.`,
  hint: "Stay within the limits.",
});

export const schemaInvalid = defineFinding({
  code: "schema.invalid",
  severity: "error",
  summary: "A value does not fit.",
  message: ({ field, problem }: OutOfRange) => `${field} ${problem}.`,
  hint: "Look the value up in the documentation of the file.",
});

function oneOf(allowed: readonly string[]): string {
  return allowed.length === 1 ? `${allowed[0]}` : `one of ${allowed.join(", ")}`;
}

export const yamlFindings: readonly FindingKind[] = [
  yamlTooLarge,
  yamlEncoding,
  yamlCharacter,
  yamlSyntax,
  yamlDocuments,
  yamlDirective,
  yamlAlias,
  yamlTag,
  yamlDepth,
  yamlTooComplex,
  yamlKey,
  yamlDuplicateKey,
  yamlNumber,
  schemaMissingProperty,
  schemaUnknownProperty,
  schemaWrongType,
  schemaNotAllowed,
  schemaPattern,
  schemaOutOfRange,
  schemaInvalid,
];
