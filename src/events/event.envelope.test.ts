import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type RawEvent, writeEnvelope } from "./event.envelope.ts";

const EVENT: RawEvent = {
  id: "evt_01",
  tenantId: "acme",
  name: "pass.created",
  occurredAt: new Date("2026-03-01T09:30:00.123Z"),
  dataText: '{"id": "p1"}',
  previousText: null,
};

// The values that jsonb can hold: without NUL, and without a single half of a surrogate pair.
const text = fc.string({ unit: "grapheme" }).filter((one) => !one.includes("\u0000"));
const value = fc.jsonValue({ stringUnit: "grapheme" }).filter((one) => !/\\u0000/.test(write(one)));
const write = (one: unknown) => JSON.stringify(one);

describe("the envelope of an event", () => {
  it("has the members of the contract, in their order, `previous` only where there is one", () => {
    assert.equal(
      writeEnvelope(EVENT, "staging"),
      '{"id":"evt_01","event":"pass.created","tenantId":"acme","occurredAt":"2026-03-01T09:30:00.123Z","environment":"staging","data":{"id": "p1"}}',
    );
    const changed = { ...EVENT, previousText: '{"id": "p0"}' };
    assert.match(
      writeEnvelope(changed, "production"),
      /"data":\{"id": "p1"\},"previous":\{"id": "p0"\}\}$/,
    );
  });

  it("says of a test that it is one", () => {
    assert.match(
      writeEnvelope({ ...EVENT, isTest: true }, "staging"),
      /"environment":"staging","test":true,"data":/,
    );
    const own = writeEnvelope({ ...EVENT, name: "webhook.test" }, "staging");
    assert.equal(JSON.parse(own).test, true);
  });

  it("keeps every digit of a number and every character of a text", () => {
    const dataText =
      '{"big": 90071992547409931234567890.0001, "text": "🎫\u2028\u2029 é \\"quoted\\""}';
    const envelope = writeEnvelope({ ...EVENT, dataText }, "staging");
    assert.ok(envelope.includes(dataText));
    assert.equal(JSON.parse(envelope).data.text, '🎫\u2028\u2029 é "quoted"');
  });

  it("property: parses back to what went in, on one line", () => {
    const previous = fc.option(value, { nil: undefined });
    fc.assert(
      fc.property(text, text, value, previous, fc.bigInt(), (id, name, data, before, big) => {
        const dataText = `{"value": ${write(data)}, "big": ${big}}`;
        const previousText = before === undefined ? null : write(before);
        const envelope = writeEnvelope({ ...EVENT, id, name, dataText, previousText }, "staging");
        assert.ok(!/[\r\n]/.test(envelope));
        assert.ok(envelope.includes(`"big": ${big}}`));
        const { big: _big, ...parsed } = JSON.parse(envelope).data;
        const { data: _data, previous: previousRead, ...head } = JSON.parse(envelope);
        assert.equal(write(parsed), write({ value: data }));
        assert.equal(write(previousRead), write(before));
        assert.deepEqual(head, {
          id,
          event: name,
          tenantId: "acme",
          occurredAt: "2026-03-01T09:30:00.123Z",
          environment: "staging",
        });
      }),
    );
  });
});
