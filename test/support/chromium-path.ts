import { existsSync } from "node:fs";

/*
 * The parts of a page are always checked over HTTP. Whether a browser agrees is checked wherever
 * there is one: CHROMIUM_PATH names it, and fails when it leads nowhere; else Debian's place is
 * looked at, where CI installs it.
 */
export const CHROMIUM =
  process.env.CHROMIUM_PATH || ["/usr/bin/chromium"].find((path) => existsSync(path));
