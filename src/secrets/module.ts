import { defineModule } from "#kernel/module.ts";
import { shredOnDeletion } from "./secret.listeners.ts";
import { sealedDataKeys } from "./secret.repository.ts";
import { secretDelete, secretGet, secretList, secretPut } from "./secret.routes.ts";

export const secretsModule = defineModule({
  name: "secrets",
  routes: [secretList, secretGet, secretPut, secretDelete],
  sealed: [sealedDataKeys],
  listeners: [shredOnDeletion],
});
