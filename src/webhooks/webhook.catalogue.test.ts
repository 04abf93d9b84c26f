import assert from "node:assert/strict";
import { it } from "node:test";
import Type from "typebox";
import { defineEvent } from "#kernel/events/define.ts";
import { createPorts, provide } from "#kernel/port.ts";
import { eventCatalogue, findSample } from "./webhook.catalogue.ts";

const eventOf = (name: string, example: unknown) =>
  defineEvent({ name, version: 1, summary: name, payload: Type.Unknown(), example });

it("gives the example of an event by its name, however it is spelt, and none for other names", () => {
  assert.equal(findSample({ ports: createPorts([]) }, "pass.created"), undefined);
  const runtime = {
    ports: createPorts([
      provide(eventCatalogue, eventOf("pass.created", { id: 1 })),
      provide(eventCatalogue, eventOf("store.*.updated", { id: 2 })),
    ]),
  };
  const pass = { event: "pass.created", data: { id: 1 } };
  assert.deepEqual(findSample(runtime, "pass.created"), pass);
  assert.deepEqual(findSample(runtime, "Pass:Created"), pass);
  const storeOf = (event: string) => ({ event, data: { id: 2 } });
  assert.deepEqual(findSample(runtime, "store.12.updated"), storeOf("store.12.updated"));
  assert.deepEqual(findSample(runtime, "store.*.updated"), storeOf("store.example.updated"));
  for (const name of ["pass", "pass.*", "*", "pass.created.again", "store.updated", "pass.", ""]) {
    assert.equal(findSample(runtime, name), undefined, name);
  }
});
