import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const description = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const start: string = description.scripts.start;

/** What Node is given to run the program of a copy of the repository, with the options of `npm start`. */
export const programIn = (root: string): readonly string[] => [
  ...start.split(" ").filter((word) => word.startsWith("--")),
  join(root, "bin/billfold.mjs"),
];

export const PROGRAM = programIn(ROOT);
