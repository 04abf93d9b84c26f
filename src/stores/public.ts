export { findStoreWithin } from "./store.repository.ts";
export { getStore } from "./store.service.ts";
