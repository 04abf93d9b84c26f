import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { publicAddress } from "./tenant.address.ts";

describe("publicAddress", () => {
  it("is the address of the installation, with its prefix", () => {
    assert.equal(
      publicAddress("https://wallet.example/app", undefined),
      "https://wallet.example/app",
    );
  });

  it("is the tenant's own domain, by the protocol and port of the installation", () => {
    const of = (baseUrl: string) => publicAddress(baseUrl, "passes.lune.example");
    assert.equal(of("https://wallet.example"), "https://passes.lune.example");
    assert.equal(of("http://localhost:8080"), "http://passes.lune.example:8080");
    assert.equal(of("https://wallet.example/app"), "https://passes.lune.example");
  });
});
