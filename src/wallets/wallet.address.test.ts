import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAppleReachable, isGoogleReachable } from "./wallet.address.ts";

describe("isGoogleReachable", () => {
  it("is true for public https addresses alone", () => {
    const good = ["https://wallet.example.com/app", "https://8.8.8.8", "https://[2001:4860::8888]"];
    assert.deepEqual(good.filter(isGoogleReachable), good);
    const bad = [
      ...["http://wallet.example.com", "http://localhost:8080", "https://localhost"],
      ...["https://box", "https://box.local.", "https://a.localhost", "https://10.0.0.7"],
      ...["https://192.168.1.2:8443", "https://127.0.0.1", "https://[::1]", "https://[fd12::1]"],
    ];
    assert.deepEqual(bad.filter(isGoogleReachable), []);
  });
});

describe("isAppleReachable", () => {
  it("asks for https and nothing more: a phone may be in the same network", () => {
    assert.ok(isAppleReachable("https://192.168.1.2"));
    assert.ok(!isAppleReachable("http://wallet.example.com"));
  });
});
