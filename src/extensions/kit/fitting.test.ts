import assert from "node:assert/strict";
import { it } from "node:test";
import { fitToType } from "./fitting.ts";

const properties = {
  points: { type: "integer" },
  price: { type: "number" },
  isMember: { type: "boolean" },
  name: { type: "string" },
  either: { type: ["string", "number"] },
  list: { type: "array" },
  anything: {},
};
const types = {
  find: (name: string) => (name === "card" ? { rules: { data: { properties } } } : undefined),
};
const fit = (data: object, passType = "card") =>
  fitToType(types, passType, data as Record<string, unknown>);

it("texts become what the template wants, and nothing else changes", () => {
  const sent = {
    points: "12",
    price: " -3.50 ",
    isMember: "True",
    name: "12",
    either: "12",
    anything: "12",
    unknown: "12",
  };
  const fitted = { ...sent, points: 12, price: -3.5, isMember: true };
  assert.deepEqual(fit(sent), fitted);
  assert.deepEqual(fit(fitted), fitted);
});

it("an empty text clears what is no text", () => {
  assert.deepEqual(fit({ points: "", isMember: " ", name: "" }), {
    points: null,
    isMember: null,
    name: "",
  });
});

it("what cannot become it stays, to be refused by name", () => {
  const sent = { points: "many", price: "1e5", isMember: "yes", list: "a,b" };
  assert.deepEqual(fit(sent), sent);
  const long = { points: "12345678901234567890" };
  assert.deepEqual(fit(long), long);
});

it("without a known type nothing changes", () => {
  assert.deepEqual(fitToType(types, undefined, { points: "12" }), { points: "12" });
  assert.deepEqual(fit({ points: "12" }, "nothing"), { points: "12" });
  assert.deepEqual(fit({ toString: "12" }), { toString: "12" });
});
