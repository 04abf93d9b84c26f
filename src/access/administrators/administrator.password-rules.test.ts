import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { commonPasswords, isCommonPassword } from "./administrator.common-passwords.ts";
import { passwordProblem } from "./administrator.password-rules.ts";

const ADA = { name: "Ada Lovelace", email: "a.king-noel@example.com" };

describe("passwordProblem", () => {
  it("asks for length and some variety, and for nothing that only annoys", () => {
    for (const good of ["correct horse battery", "ünïcödé wörds", "three dragons, one shadow"]) {
      assert.equal(passwordProblem(good, ADA), undefined, good);
    }
    assert.match(passwordProblem("short", ADA) ?? "", /at least 12/);
    assert.match(passwordProblem("aaaaaaaaaaaaaa", ADA) ?? "", /too few/);
    assert.match(passwordProblem("x".repeat(201), ADA) ?? "", /at most/);
  });

  it("refuses common ones, with digits and signs around them or for their letters", () => {
    for (const common of [
      "administrator",
      "Password1234",
      "!!PASSWORD!!2024",
      "p4$$w0rd!2024",
      "pa55w0rd-2026",
      "$unsh1ne20262026",
      "1loveyou2026",
      "i love you 2026",
      "letmein-letmein",
      "Sunshine2024Sunshine2024",
      "WelcomeWelcome",
      "Billfold2026!",
      "pässwörd1234",
      "1qaz2wsx3edc",
    ]) {
      assert.match(passwordProblem(common, ADA) ?? "", /common/, common);
    }
  });

  it("refuses rows of keys, of letters and of digits", () => {
    for (const row of [
      "123456789012",
      "987654321098",
      "abcdefghijkl",
      "qwertyuiopasdf",
      "qwerty123456",
      "abc-123-def-456",
      "poiuytrewq0987",
    ]) {
      assert.match(passwordProblem(row, ADA) ?? "", /common/, row);
    }
  });

  it("refuses the common words and the keyboards of other languages, with digits behind them", () => {
    for (const common of [
      "qwertz123456",
      "qwertzuiop12",
      "azertyuiop-77",
      "qsdfghjklm48",
      "asdfghjkl;'1",
      "yxcvbnm93751",
      "йцукенгшщзхъ",
      "фывапролдж83",
      "motdepasse123",
      "contraseña123",
      "Willkommen2026!",
      "benvenuto-2026",
      "minhasenha42!",
      "Hasło!2026!2026",
      "hoşgeldiniz77",
      "пароль123456",
      "ПРИВЕТ-2026-!",
      "!@#$%^&*()_+",
    ]) {
      assert.match(passwordProblem(common, ADA) ?? "", /common/, common);
    }
  });

  it("takes signs and pictures without any letter, and a few keys among much else", () => {
    for (const good of [
      "🙂🙃😀😃😄😁😆😅😂🤣😊😇",
      "🦊→🌊→🗝→🕯→🧭→🪁→🎈",
      "?!;:-%&=~<>{",
      "hij 48291 77163",
    ]) {
      assert.equal(passwordProblem(good, ADA), undefined, good);
    }
  });

  it("refuses the name and the e-mail address, in parts, in any case and disguised", () => {
    for (const [password, part, of] of [
      ["my LOVELACE poems", "Lovelace", "name"],
      ["my l0vel4ce poems", "Lovelace", "name"],
      ["adalovelace and me", "Ada Lovelace", "name"],
      ["the noel holidays", "noel", "e-mail address"],
      ["A.King-Noel@example.com", "a.king-noel@example.com", "e-mail address"],
      ["xx a.king-noel xx", "a.king-noel", "e-mail address"],
    ] as const) {
      const problem = passwordProblem(password, ADA) ?? "";
      assert.ok(problem.includes(`“${part}”, a part of your ${of}`), `${password}: ${problem}`);
    }
    const zoe = { name: "Zoë Çelik", email: "zc@example.com" };
    assert.match(passwordProblem("cafe celik wagon", zoe) ?? "", /“Çelik”/);
  });

  it("sees a name in other letters, with signs in between, and the domain of the address", () => {
    const ana = { name: "Ana Müller-Łukasz", email: "ana.mueller+x@mail.cafe-lune.co.uk" };
    for (const [password, part] of [
      ["lukasz-rocks-1", "Łukasz"],
      ["ŁUKASZ-rocks-1", "Łukasz"],
      ["m.u.l.l.e.r-9x!", "Müller"],
      ["m u 1 1 e r and us", "Müller"],
      ["mul-ler2026!!", "Müller"],
      ["the MUELLER house", "Müller"],
      ["cafelune2026!", "cafe-lune"],
      ["my cafe lune, open", "cafe-lune"],
    ] as const) {
      assert.ok((passwordProblem(password, ana) ?? "").includes(`“${part}”`), password);
    }
    for (const [name, password] of [
      ["Søren Weiß", "soren-walks-far"],
      ["Søren Weiß", "soeren-walks-far"],
      ["Søren Weiß", "weiss wie der tag"],
      ["Ægir Þórsson", "aegir-sails-on-7"],
      ["Işıl Yılmaz", "yilmaz-rocks-77"],
    ] as const) {
      const problem = passwordProblem(password, { name, email: "x@y.example" });
      assert.match(problem ?? "", /part of your name/, password);
    }
    assert.equal(passwordProblem("coffee, open until five", ana), undefined);
    const seba = { name: "Seba Jo", email: "s@y.example" };
    assert.equal(passwordProblem("correct horse battery staple", seba), undefined, "across words");
  });

  it("refuses a name of three letters as a word of its own, and lets it pass within another", () => {
    const owner = { name: "Ina Bo", email: "ana@y.example" };
    for (const password of [
      "ana-rocks-1234x",
      "99ANA99 on the road",
      "for 4n4 and others",
      "ina2026-x9-y8",
    ]) {
      assert.match(passwordProblem(password, owner) ?? "", /a part of your/, password);
    }
    for (const password of ["banana bread daily", "once in a blue moon", "bo likes the rain"]) {
      assert.equal(passwordProblem(password, owner), undefined, password);
    }
  });

  it("lets short parts of a name pass, which are in many words", () => {
    const owner = { name: "Ada Li", email: "al@example.com" };
    assert.equal(passwordProblem("Canada has alps and lilies", owner), undefined);
    assert.equal(passwordProblem("anything goes here", { name: "", email: "" }), undefined);
  });

  it("takes what a password manager makes", () => {
    const signs = fc.constantFrom(
      ..."abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_.!",
    );
    const made = fc.array(signs, { minLength: 20, maxLength: 20 }).map((all) => all.join(""));
    fc.assert(
      fc.property(made, (password) => {
        fc.pre(new Set(password.toLowerCase()).size > 8);
        return passwordProblem(password, ADA) === undefined;
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe("the list of common passwords", () => {
  it("holds several thousand, each of which is found", () => {
    const words = [...commonPasswords()];
    assert.ok(words.length > 5_000, `${words.length}`);
    const lost = words.filter((word) => !isCommonPassword(word));
    assert.deepEqual(lost, []);
    for (const word of words.filter((word) => /^[a-z]{4,}$/.test(word))) {
      assert.ok(isCommonPassword(`${word.toUpperCase()}2026!!`), word);
    }
  });
});
