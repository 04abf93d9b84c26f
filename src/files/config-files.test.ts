import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Type from "typebox";
import { type ConfigFile, configFile } from "./config-file.ts";
import { ConfigFiles, loadConfigFiles } from "./config-files.ts";

const kind = (path: string): ConfigFile =>
  configFile({ path, schema: Type.Object({}), about: "A file.", example: "{}\n" });

describe("configuration files", () => {
  it("are found by their path", () => {
    const files = new ConfigFiles([kind("server/a.yml"), kind("server/b.yml")]);
    assert.deepEqual(files.paths, ["server/a.yml", "server/b.yml"]);
    assert.equal(files.find("server/b.yml")?.path, "server/b.yml");
    assert.equal(files.find("server/c.yml"), undefined);
  });

  it("belong to one module each", () => {
    const twice = [kind("server/a.yml"), kind("server/a.yml")];
    assert.throws(() => new ConfigFiles(twice), /Two modules declare 'server\/a.yml'/);
  });

  it("are not loaded from a file that declares none", async () => {
    const address = new URL("./finding.ts", import.meta.url).href;
    await assert.rejects(loadConfigFiles([address]), /exports no 'configFiles'/);
  });
});
