import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BLANK_MESSAGE, blankOf, erasureOf, remainsOf } from "./object.content.ts";

const IDS = { objectId: "1.p", classId: "1.c" };

describe("what empties an object at Google", () => {
  it("has what Google requires of its type, and nothing else", () => {
    const base = { id: "1.p", classId: "1.c", state: "INACTIVE", messages: [] };
    assert.deepEqual(blankOf({ ...IDS, type: "loyalty" }), base);
    assert.deepEqual(blankOf({ ...IDS, type: "giftCard" }), { ...base, cardNumber: "-" });
    assert.deepEqual(blankOf({ ...IDS, type: "flight" }), {
      ...base,
      passengerName: "-",
      reservationInfo: { confirmationCode: "-" },
    });
  });

  it("member by member leaves no translation and no message", () => {
    const nothing = { defaultValue: { language: "en", value: "-" }, translatedValues: [] };
    assert.deepEqual(erasureOf("generic", ["id", "classId", "state", "cardTitle", "header"]), {
      cardTitle: nothing,
      header: nothing,
      messages: [],
      state: "INACTIVE",
    });
  });

  it("member by member empties the reservation that a flight must have, and takes that of an event", () => {
    const members = ["id", "reservationInfo"];
    assert.deepEqual(erasureOf("flight", members).reservationInfo, {
      confirmationCode: "-",
      eticketNumber: null,
      frequentFlyerInfo: null,
    });
    assert.equal(erasureOf("eventTicket", members).reservationInfo, null);
  });
});

describe("what is left of an erased object", () => {
  const decorated = (value: string) => ({
    kind: "walletobjects#localizedString",
    defaultValue: { kind: "walletobjects#translatedString", language: "en", value },
  });
  const answer = {
    ...{ id: "1.p", classId: "1.c", state: "inactive", version: "7", hasUsers: true },
    kind: "walletobjects#genericObject",
    classReference: { id: "1.c", issuerName: "Harbour Club" },
    ...{ genericType: "GENERIC_TYPE_UNSPECIFIED", textModulesData: [], linksModuleData: {} },
    messages: [{ kind: "walletobjects#message", ...BLANK_MESSAGE }],
    ...{ cardTitle: decorated("-"), header: decorated("-") },
  };

  it("is nothing if Google only adds what it sets itself", () => {
    assert.deepEqual(remainsOf(answer, "generic"), []);
  });

  it("are members of the pass, its texts in required members, and its messages", () => {
    const left = {
      ...answer,
      header: decorated("Camille Moreau"),
      cardTitle: {
        ...decorated("-"),
        translatedValues: [{ language: "fr", value: "Camille" }],
      },
      barcode: { type: "QR_CODE", value: "C-1" },
      messages: [{ body: "Camille, your table is ready." }],
    };
    const names = remainsOf(left, "generic").sort();
    assert.deepEqual(names, ["barcode", "cardTitle", "header", "messages"]);
  });
});
