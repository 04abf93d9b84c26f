import { existsSync } from "node:fs";

/*
 * The parts of a page are always checked over HTTP. Whether a browser agrees is checked wherever
 * there is one: CHROMIUM_PATH names it, and fails when it leads nowhere; else Debian's places are
 * looked at, where CI installs it. The shell without windows draws the same pages for half of the
 * processor's time.
 */
const [SHELL, WHOLE] = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

const findChromium = (...places: string[]): string | undefined =>
  process.env.CHROMIUM_PATH || places.find((path) => existsSync(path));

export const CHROMIUM = findChromium(SHELL, WHOLE);
/** For measurements: the browser that people have, if it is there. */
export const WHOLE_CHROMIUM = findChromium(WHOLE, SHELL);
