import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { erasureOf } from "./object.content.ts";

describe("what empties an object at Google", () => {
  it("leaves no translation and no message", () => {
    const nothing = { defaultValue: { language: "en", value: "-" }, translatedValues: [] };
    assert.deepEqual(erasureOf("generic", ["id", "classId", "state", "cardTitle", "header"]), {
      cardTitle: nothing,
      header: nothing,
      messages: [],
      state: "INACTIVE",
    });
  });

  it("empties the reservation that a flight must have, and takes away that of an event", () => {
    const members = ["id", "reservationInfo"];
    assert.deepEqual(erasureOf("flight", members).reservationInfo, {
      confirmationCode: null,
      eticketNumber: null,
      frequentFlyerInfo: null,
    });
    assert.equal(erasureOf("eventTicket", members).reservationInfo, null);
  });
});
