import Type, { type Static, type TObject, type TProperties } from "typebox";
import {
  type ConfigFile,
  configFile,
  defineFinding,
  type FilesAround,
  type Finding,
  type FindingKind,
  type FittingFile,
} from "#src/files/public.ts";
import { templatePath } from "#src/templates/language/public.ts";
import type { ConnectorName } from "../names/connector.names.ts";

/** The members that the kit adds to the file of every connector. */
const common = {
  enabled: Type.Optional(
    Type.Boolean({
      default: true,
      description: "False switches the connector off: its addresses are gone at once.",
      examples: [true],
    }),
  ),
};

/** What `server/<name>.yml` of a connector holds. */
export type SettingsOf<Members extends TProperties> = Static<TObject<Members & typeof common>>;

/** The file of one connector. */
export type ConnectorFile<Members extends TProperties = TProperties> = {
  readonly name: string;
  readonly path: string;
  /** The members of the vendor, without those that the kit adds. */
  readonly members: Members;
  readonly schema: TObject<Members & typeof common>;
  /** For `defineConfigFiles` in the same `*.config.ts`. */
  readonly file: ConfigFile;
};

type FileDefinition<Members extends TProperties> = {
  /** In addresses, in `server/<name>.yml`, and before the names of identifiers. */
  readonly name: ConnectorName;
  readonly members: Members;
  /** One sentence for docs/templates.md. */
  readonly about: string;
  readonly example: string;
  readonly findings?: readonly FindingKind[];
  /** Checks what the schema cannot express. */
  check?(file: FittingFile<SettingsOf<Members>>, around: FilesAround): Finding[];
};

const connectorUnknownPassType = defineFinding<{ readonly passType: string }>({
  code: "connector.unknown-pass-type",
  severity: "error",
  summary: "A connector makes passes of a type that has no template.",
  hint: "Use the name of a file in server/passes, without '.yml'.",
  message: ({ passType }) => `There is no template '${passType}'.`,
});

/**
 * Declares the file of a connector. It stands in a `*.config.ts` of the connector's folder that loads
 * no service, because the process that checks files loads it too. A member `passType` must name a
 * template; the kit checks that.
 */
export function connectorFile<const Members extends TProperties>(
  definition: FileDefinition<Members>,
): ConnectorFile<Members> {
  const { name, members, about, example, findings = [], check } = definition;
  const path = `server/${name}.yml`;
  const schema = Type.Object(
    { ...common, ...members },
    { additionalProperties: false },
  ) as unknown as TObject<Members & typeof common>;
  const hasPassType = "passType" in members;
  const file = configFile({
    path,
    schema,
    about,
    example,
    findings: [...(hasPassType ? [connectorUnknownPassType] : []), ...findings],
    check(sent, around) {
      const given = sent as FittingFile<SettingsOf<Members>>;
      return [...passTypeFindings(given, around), ...(check?.(given, around) ?? [])];
    },
  });
  return { name, path, members, schema, file };
}

function passTypeFindings({ value, at }: FittingFile<object>, around: FilesAround): Finding[] {
  const passType = "passType" in value ? value.passType : undefined;
  if (typeof passType !== "string" || around.has(templatePath(passType))) return [];
  return [connectorUnknownPassType(at(["passType"]), { passType })];
}
