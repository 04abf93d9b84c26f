import { defineModule } from "#kernel/module.ts";
import { plugScanner } from "./scanner.routes.ts";

/**
 * The page that makes a scanner of the browser of a phone or tablet. It is public, as it holds
 * nothing: what it shows comes from the API, with the key that a device is given by pairing.
 */
export const scannerModule = defineModule({
  name: "scanner",
  plug: plugScanner,
});
