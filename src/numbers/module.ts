import { defineModule } from "#kernel/module.ts";
import { countNumbers, purgeNumbers } from "./number.jobs.ts";
import { numbersGet } from "./number.routes.ts";

export const numbersModule = defineModule({
  name: "numbers",
  routes: [numbersGet],
  jobs: [countNumbers, purgeNumbers],
});
