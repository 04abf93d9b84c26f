import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lintWithRedocly, lintWithSpectral } from "../../tools/openapi/lint.ts";

describe("openapi.json to linters that are not ours", () => {
  it("redocly: no error", async () => {
    const { errors, warnings } = await lintWithRedocly();
    assert.deepEqual(errors, []);
    // Paths such as `/api/tenants` look ambiguous, but such words cannot be tenant ids.
    const others = warnings.filter((warning) => !warning.startsWith("no-ambiguous-paths"));
    assert.deepEqual(others, []);
  });

  it("spectral: no error", async () => {
    const { errors, warnings } = await lintWithSpectral();
    assert.deepEqual({ errors, warnings }, { errors: [], warnings: [] });
  });
});
