import { defineModule } from "#kernel/module.ts";
import { plugConsole } from "./console.routes.ts";

/**
 * The admin console for people. It is public, as it holds nothing: what it shows comes from the
 * API, with the token of the person who signed in.
 */
export const consoleModule = defineModule({
  name: "console",
  plug: plugConsole,
});
