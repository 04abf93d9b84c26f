import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { chooseLanguage, wantedLanguages } from "#kernel/http/accept-language.ts";
import { readVisitor, UNKNOWN_APP } from "./landing.device.ts";

const WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const IPHONE = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${WEBKIT}`;
const ANDROID = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)";

describe("readVisitor", () => {
  const cases: readonly [string, string, string | undefined][] = [
    [`${IPHONE} Version/18.1 Mobile/15E148 Safari/604.1`, "apple", undefined],
    [
      `Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) ${WEBKIT} Version/12.1 Mobile/15E148 Safari/604.1`,
      "apple",
      undefined,
    ],
    [`${IPHONE} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`, "apple", "Chrome"],
    [`${IPHONE} FxiOS/132.0 Mobile/15E148 Safari/605.1.15`, "apple", "Firefox"],
    [`${IPHONE} GSA/340.3 Mobile/15E148 Safari/604.1`, "apple", "Google"],
    [`${IPHONE} Mobile/22B83 Instagram 350.0.0.0.0 (iPhone14,5; iOS 18_1)`, "apple", "Instagram"],
    [`${IPHONE} Mobile/22B83 [FBAN/FBIOS;FBAV/489.0;FBBV/1]`, "apple", "Facebook"],
    [`${IPHONE} Mobile/22B83 WhatsApp/24.22`, "apple", "WhatsApp"],
    [`${IPHONE} Mobile/15E148 musical_ly_37.1.0 BytedanceWebview/d8a21c6`, "apple", "TikTok"],
    [`${IPHONE} Mobile/15E148`, "apple", UNKNOWN_APP],
    [`${ANDROID} Chrome/131.0.0.0 Mobile Safari/537.36`, "android", undefined],
    [
      `${ANDROID} Version/4.0 Chrome/131.0 Mobile Safari/537.36 Instagram 350.0`,
      "android",
      undefined,
    ],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/18.1 Safari/605.1.15`,
      "desktop",
      undefined,
    ],
    ["curl/8.5.0", "desktop", undefined],
    ["", "desktop", undefined],
  ];
  for (const [agent, platform, app] of cases) {
    it(`knows ${agent === "" ? "nobody" : agent.slice(-60)}`, () => {
      assert.deepEqual(readVisitor({ "user-agent": agent }), { platform, app });
    });
  }

  it("believes the hint of a phone that asks for the desktop view", () => {
    const headers = {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36",
      "sec-ch-ua-platform": '"Android"',
    };
    assert.equal(readVisitor(headers).platform, "android");
  });

  it("reads any header at all", () => {
    const any = fc.option(fc.string({ maxLength: 3_000 }), { nil: undefined });
    fc.assert(
      fc.property(any, any, (agent, hint) => {
        const { platform } = readVisitor({ "user-agent": agent, "sec-ch-ua-platform": hint });
        assert.ok(["apple", "android", "desktop"].includes(platform));
      }),
    );
  });
});

describe("the language of a visitor", () => {
  it("is the most wanted one that is offered, or a more general form of it", () => {
    assert.deepEqual(wantedLanguages("fr;q=0.3, de-CH, en;q=0, x y, it;q=0.8"), [
      "de-CH",
      "it",
      "fr",
    ]);
    assert.equal(chooseLanguage(["de-CH", "fr"], ["fr", "de"]), "de");
    assert.equal(chooseLanguage(["pt-br"], ["pt-BR", "pt"]), "pt-BR");
    assert.equal(chooseLanguage(["nl"], ["fr", "de"]), undefined);
  });

  it("is read from any header at all", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2_000 }), (header) => {
        for (const tag of wantedLanguages(header)) assert.match(tag, /^[A-Za-z0-9-]+$/);
      }),
    );
  });
});
