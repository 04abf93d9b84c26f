import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../sources.ts";

/** A template literal with the tag `sql`, as it stands in the source. */
export type Template = {
  /** `src/passes/pass.repository.ts:12` */
  readonly place: string;
  /** The texts between its gaps: by these a piece of SQL is found again while the code runs. */
  readonly strings: readonly string[];
  /** What stands in `sql<Row>`; undefined where nothing does. */
  readonly row: ts.Type | undefined;
};

export type ExportedFunction = {
  readonly path: string;
  readonly name: string;
  readonly parameters: readonly ts.Type[];
};

export type TypedSources = {
  readonly checker: ts.TypeChecker;
  /** Of these files and all that they import. */
  readonly templates: readonly Template[];
  readonly byStrings: ReadonlyMap<string, readonly Template[]>;
  /** Of these files alone. */
  readonly functions: readonly ExportedFunction[];
};

export function readTyped(paths: readonly string[]): TypedSources {
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT);
  const files = paths.map((path) => join(ROOT, path));
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const own = program
    .getSourceFiles()
    .filter(({ isDeclarationFile, fileName }) => !isDeclarationFile && isOurs(fileName));
  const templates = own.flatMap((file) => templatesOf(file, checker));
  return {
    checker,
    templates,
    byStrings: Map.groupBy(templates, ({ strings }) => stringsKey(strings)),
    functions: paths.flatMap((path, at) => {
      const file = program.getSourceFile(files[at] ?? "");
      return file === undefined ? [] : functionsOf(path, file, checker);
    }),
  };
}

export function stringsKey(strings: readonly string[]): string {
  return strings.join("\u0000");
}

function isOurs(fileName: string): boolean {
  return !fileName.includes("/node_modules/");
}

function templatesOf(file: ts.SourceFile, checker: ts.TypeChecker): Template[] {
  const found: Template[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText(file) === "sql") {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      const [row] = node.typeArguments ?? [];
      found.push({
        place: `${file.fileName.slice(ROOT.length + 1)}:${line}`,
        strings: stringsOf(node.template),
        row: row === undefined ? undefined : checker.getTypeFromTypeNode(row),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function stringsOf(template: ts.TemplateLiteral): string[] {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text];
  return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];
}

function functionsOf(
  path: string,
  file: ts.SourceFile,
  checker: ts.TypeChecker,
): ExportedFunction[] {
  return file.statements.flatMap((statement) => {
    if (!ts.isFunctionDeclaration(statement) || statement.name === undefined) return [];
    const isExported = statement.modifiers?.some(
      ({ kind }) => kind === ts.SyntaxKind.ExportKeyword,
    );
    if (isExported !== true) return [];
    const parameters = statement.parameters.map((one) => checker.getTypeAtLocation(one));
    return [{ path, name: statement.name.text, parameters }];
  });
}
