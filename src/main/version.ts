import { createRequire } from "node:module";

/** Of the program, as `package.json` has it. */
export const { version } = createRequire(import.meta.url)("../../package.json") as {
  version: string;
};
