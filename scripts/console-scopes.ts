const HEAD =
  "// Follows from openapi.json by `npm run generate`: changes made by hand are lost there.\n\n";

type Operation = {
  readonly operationId?: string;
  readonly security?: readonly { readonly oauth2?: readonly string[] }[];
};
type Described = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/** The scope that each operation needs, in the form that tokens of people have. */
export function consoleScopes(document: unknown): string {
  const { paths } = document as Described;
  const lines = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, security }) => {
      const scope = security?.find(({ oauth2 }) => oauth2 !== undefined)?.oauth2?.[0];
      return operationId === undefined || scope === undefined
        ? []
        : [`  ${JSON.stringify(operationId)}: ${JSON.stringify(scope)},`];
    });
  return `${HEAD}export const operationScopes = {\n${lines.sort().join("\n")}\n} as const;\n`;
}
