import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isTest, readSources } from "#test/support/sources.ts";
import { hashPassword, verifyPassword } from "./administrator.password.ts";

const turn = { gate: "known", group: "a test" } as const;

describe("hashPassword and verifyPassword", () => {
  it("recognise a password in either Unicode form and nothing else", async () => {
    const hash = await hashPassword("café crème brûlée", turn);
    assert.match(hash, /^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.equal(
      await verifyPassword("cafe\u0301 cre\u0300me bru\u0302le\u0301e", hash, turn),
      true,
    );
    assert.equal(await verifyPassword("café crème brûlée ", hash, turn), false);
    assert.notEqual(await hashPassword("café crème brûlée", turn), hash);
  });

  it("take as long without an account as with one", async () => {
    const hash = await hashPassword("a long enough password", turn);
    const timeOf = async (stored: string | null) => {
      const before = process.cpuUsage();
      assert.equal(await verifyPassword("wrong", stored, turn), false);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    const known = Math.min(await timeOf(hash), await timeOf(hash));
    const unknown = Math.min(await timeOf(null), await timeOf(null));
    assert.ok(unknown > known / 3 && unknown < known * 3, `${unknown} ms and ${known} ms`);
  });

  it("refuse a hash that cannot be read", async () => {
    assert.equal(await verifyPassword("x", "$2b$10$something", turn), false);
    assert.equal(await verifyPassword("", "", turn), false);
  });

  it("cost the same wherever the product runs: tests alone lower it", () => {
    const users = readSources("{src,bin,scripts}/**/*.{ts,mjs}")
      .filter((source) => !isTest(source) && source.text.includes("lowerPasswordCost"))
      .map(({ path }) => path);
    assert.deepEqual(users, ["src/access/administrators/administrator.password.ts"]);
  });
});
