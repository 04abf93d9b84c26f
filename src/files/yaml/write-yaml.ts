import { stringify } from "yaml";

/** The bytes of a file with these values, for settings that were sent as JSON. */
export function writeYaml(value: object): Buffer {
  return Buffer.from(stringify(value, { schema: "core", lineWidth: 0 }));
}
