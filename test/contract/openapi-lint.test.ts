import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lintWithRedocly, lintWithSpectral } from "../../tools/openapi/lint.ts";

describe("openapi.json to linters that are not ours", () => {
  it("redocly: no error", async () => {
    const { errors, warnings } = await lintWithRedocly();
    assert.deepEqual(errors, []);
    // Words at the place of a tenant, such as `tenants`, are no tenants: see the list of reserved ones.
    const others = warnings.filter((warning) => !warning.startsWith("no-ambiguous-paths"));
    assert.deepEqual(others, []);
  });

  it("spectral: no error", async () => {
    const { errors, warnings } = await lintWithSpectral();
    assert.deepEqual({ errors, warnings }, { errors: [], warnings: [] });
  });
});
