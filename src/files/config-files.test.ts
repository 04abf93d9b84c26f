import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Type from "typebox";
import { type ConfigFile, configFile } from "./config-file.ts";
import { ConfigFiles, loadConfigFiles } from "./config-files.ts";

const kind = (path: string, names?: readonly string[]): ConfigFile =>
  configFile({
    path,
    ...(names === undefined ? {} : { names }),
    schema: Type.Object({}),
    about: (left) => left.join(),
    example: "{}\n",
  });

describe("configuration files", () => {
  it("are found by their path, those of several names by each", () => {
    const files = new ConfigFiles([kind("server/a.yml"), kind("server/<other>.yml", ["b", "c"])]);
    assert.deepEqual(files.paths, ["server/a.yml", "server/b.yml", "server/c.yml"]);
    assert.equal(files.find("server/c.yml")?.path, "server/<other>.yml");
    assert.equal(files.find("server/d.yml"), undefined);
    assert.equal(files.find("server/<other>.yml"), undefined);
  });

  it("take their name off a list, whichever module comes first", () => {
    const [own, list] = [kind("server/b.yml"), kind("server/<other>.yml", ["b", "c"])];
    for (const declared of [
      [own, list],
      [list, own],
    ]) {
      const files = new ConfigFiles(declared);
      assert.equal(files.find("server/b.yml"), own);
      assert.deepEqual(files.find("server/c.yml")?.names, ["c"]);
    }
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
