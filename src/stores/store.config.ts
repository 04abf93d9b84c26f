import { configFile, defineConfigFiles } from "#src/files/public.ts";
import { Stores } from "#src/templates/language/public.ts";

/** The schema belongs to the templates, because templates refer to stores. */
export const configFiles = defineConfigFiles([
  configFile({
    path: "server/stores.yml",
    schema: Stores,
    about: "Where the tenant can be visited.",
    example:
      "stores:\n  - id: marais\n    name: Café Lune Marais\n    location: { latitude: 48.8571, longitude: 2.3592 }\n",
  }),
]);
