import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { secretReaders } from "#src/tenants/public.ts";
import { shredOnDeletion } from "./secret.listeners.ts";
import { sealedDataKeys } from "./secret.repository.ts";
import { secretDelete, secretGet, secretList, secretPut } from "./secret.routes.ts";
import { createSecretReader } from "./secret.service.ts";

export const secretsModule = defineModule({
  name: "secrets",
  routes: [secretList, secretGet, secretPut, secretDelete],
  sealed: [sealedDataKeys],
  listeners: [shredOnDeletion],
  provides: [provide(secretReaders, createSecretReader)],
});
