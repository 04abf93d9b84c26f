import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readTemplates } from "#test/support/read-templates.ts";
import { COUPON_YML, EVENT_YML, TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";
import { lintTemplate } from "../google.lint.ts";

const PER = /^google\.class-(per|text)-/;

function lint(passType: string, text: string) {
  const path = `server/passes/${passType}.yml`;
  const { set, findings } = readTemplates(toFiles({ ...TEMPLATE_FILES, [path]: text }));
  assert.deepEqual(findings, []);
  const template = set.templates.get(passType);
  assert.ok(template !== undefined);
  return lintTemplate(template).filter(({ code }) => PER.test(code));
}

const codes = (passType: string, text: string) => lint(passType, text).map(({ code }) => code);

const offer = (title: string, properties: string) =>
  COUPON_YML.replace(
    "percent: { type: integer }",
    `percent: { type: integer }, ${properties}`,
  ).replace('title: "{{ data.percent }} % off"', `title: "${title}"`);

describe("templates whose passes have classes of their own at Google", () => {
  it("google.class-per-pass: an offer whose title names the holder", () => {
    const title = "{{ data.firstName }}, 20 % off";
    const [finding, ...more] = lint("coupon", offer(title, "firstName: { type: string }"));
    assert.deepEqual(more, []);
    assert.equal(finding?.code, "google.class-per-pass");
    assert.equal(finding.severity, "warning");
    assert.match(finding.message, /'data\.firstName'.*'offer\.title'/);
    const line = COUPON_YML.split("\n").findIndex((one) => one.startsWith("offer:")) + 1;
    assert.equal(finding.line, line);
  });

  it("google.class-per-pass: what is different on each pass, in any text of the class", () => {
    const declared = "email: { type: string, format: email }, to: { type: string, format: email }";
    for (const title of [
      "Code {{ pass.id }}",
      "Until {{ pass.expirationDate }}",
      "Code {{ identifiers['coupon.code'] }}",
      "{{ data.to }}",
      "{{ data.customer.name }}",
      "{{ data.first_name }}",
      "{{ data.Vorname }}",
    ]) {
      const text = offer(
        title,
        `${declared}, customer: { type: object, properties: { name: { type: string } } }, first_name: { type: string }, Vorname: { type: string }`,
      );
      const identified = `${text}identifiers: { required: [coupon.code], unique: [coupon.code] }\n`;
      assert.deepEqual(codes("coupon", identified), ["google.class-per-pass"], title);
    }
    const primary = COUPON_YML.replace('title: "{{ data.percent }} % off", ', "")
      .replace(
        "percent: { type: integer }",
        "percent: { type: integer }, name: { type: string }, holderName: { type: string }",
      )
      .replace("{{ data.percent }} %", "{{ data.holderName }} %");
    assert.deepEqual(codes("coupon", primary), ["google.class-per-pass"], "it is the title");
    const event = EVENT_YML.replace(
      'name: "{{ data.event }}"',
      'name: "{{ data.holder }} at the Moon"',
    );
    assert.deepEqual(codes("event", event), ["google.class-per-pass"]);
  });

  it("google.class-per-text: an offer that may say anything", () => {
    const both = offer("{{ data.text }} {{ pass.id }}", "text: { type: string }");
    assert.deepEqual(codes("coupon", both), ["google.class-per-pass"], "the worse of two");
    const [finding, ...more] = lint("coupon", offer("{{ data.text }}", "text: { type: string }"));
    assert.deepEqual(more, []);
    assert.deepEqual([finding?.code, finding?.severity], ["google.class-per-text", "info"]);
  });

  it("google.class-text-shared: what one pass says of its holder, where an id tells events apart", () => {
    const table = EVENT_YML.replace(
      'name: "{{ data.event }}"',
      'id: "{{ data.event }}"\n  name: "Table of {{ data.holder }}"',
    );
    const [finding, ...more] = lint("event", table);
    assert.deepEqual(more, []);
    assert.deepEqual([finding?.code, finding?.severity], ["google.class-text-shared", "warning"]);
    assert.match(finding?.message ?? "", /'data\.holder'.*'event\.name'/);
  });

  it("have no finding for numbers, words of a list, events, or other texts", () => {
    assert.deepEqual(codes("coupon", COUPON_YML), []);
    const size = "size: { type: string, enum: [small, large] }";
    assert.deepEqual(codes("coupon", offer("A {{ data.size }} coffee", size)), []);
    assert.deepEqual(codes("coupon", offer("{{ tenant.name }}, {{ locale }}", size)), []);
    assert.deepEqual(codes("event", EVENT_YML), []);
    for (const [passType, text] of Object.entries(TEMPLATE_FILES)) {
      const [, name] = /server\/passes\/(\w+)\.yml/.exec(passType) ?? [];
      if (name !== undefined) assert.deepEqual(codes(name, text), [], name);
    }
  });
});
