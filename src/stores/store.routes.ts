import Type from "typebox";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { storeNotFound } from "./store.errors.ts";
import { listStores, STORE_LIST } from "./store.repository.ts";
import {
  presentStore,
  STORE_EXAMPLE,
  StoreParams,
  StoreResource,
  versionOf,
} from "./store.schema.ts";
import { getStore } from "./store.service.ts";

export const storeList = defineRoute({
  op: "store.list",
  method: "GET",
  url: "/api/:tenantId/stores",
  scope: "TenantConfiguration.Read",
  summary: "List the stores",
  description: "As the published file `server/stores.yml` has them, in the order of their ids.",
  list: STORE_LIST,
  reply: Type.Array(StoreResource),
  example: { reply: [STORE_EXAMPLE] },
  handle: listStores,
});

export const storeGet = defineRoute({
  op: "store.get",
  method: "GET",
  url: "/api/:tenantId/stores/:storeId",
  scope: "TenantConfiguration.Read",
  summary: "Read one store",
  params: StoreParams,
  reply: StoreResource,
  errors: [storeNotFound],
  example: { reply: STORE_EXAMPLE },
  async handle(context, { params }) {
    const store = await getStore(context, params.storeId);
    return answer(presentStore(store), { version: versionOf(store) });
  },
});
