import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "#test/support/check-configuration.ts";
import { TEMPLATE_FILES, toFiles } from "#test/support/template-files.ts";

const PATH = "server/passes/library.yml";

async function messagesFor(format: string, sample: string) {
  const template = String(TEMPLATE_FILES[PATH])
    .replace("format: qr", `format: ${format}`)
    .replace("{{ pass.id }}", `{{ data.name }}${sample}`);
  const found = await check(toFiles({ ...TEMPLATE_FILES, [PATH]: template }));
  return found.filter(({ code }) => code === "barcode.too-long").map(({ message }) => message);
}

describe("the length of a barcode", () => {
  it("is counted in the encoding that wallets are told", async () => {
    assert.deepEqual(await messagesFor("qr", "ü".repeat(2_000)), []);
    assert.equal((await messagesFor("qr", "日".repeat(1_000))).length, 1);
  });

  it("is a matter of scanners where the text would fit", async () => {
    const [message, ...others] = await messagesFor("aztec", "7".repeat(3_000));
    assert.match(
      message ?? "",
      /has 30\d\d bytes; scanners hardly read 'aztec' of more than 1914\.$/,
    );
    assert.deepEqual(others, []);
  });
});
