import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { startApi } from "#test/support/start-api.ts";
import { renderBanner } from "./banner.ts";
import { seedDemo } from "./demo.ts";

const api = await startApi({ after });
const key = api.operatorKey;

describe("the banner of the first start", () => {
  it("has lines to try that work as they stand: the last one issues a pass with points", async () => {
    const demo = await seedDemo(systemCall(api.runtime, "demo.seed"));
    assert.ok(demo !== undefined);
    const place = { baseUrl: "http://here", dataDir: "./data" };
    const config = {
      ...place,
      environment: "staging" as const,
      roles: new Set(["api" as const]),
      simulator: true,
    };
    const firstStart = { operatorKey: undefined, demo };
    const facts = { version: "1", url: "http://here", signInLink: undefined };
    const banner = renderBanner({ ...facts, config, firstStart });
    const pass = `http://here/simulator#add=${encodeURIComponent(demo.landing)}`;
    assert.ok(banner.includes(`  Demo pass      ${pass}\n`), banner);
    const [list = "", issue = "", ...others] =
      banner.split("Try it:\n")[1]?.trim().split("\n") ?? [];
    assert.deepEqual(others, []);

    const paths = [list, issue].map((line) => /http:\/\/here([^' ]+)/.exec(line)?.[1] ?? "");
    assert.ok([list, issue].every((line) => line.includes(`-H 'X-API-KEY: ${demo.token}'`)));
    assert.equal((await api.get(paths[0] ?? "", { key: demo.token })).status, 200);
    const body = JSON.parse(/-d '([^']+)'/.exec(issue)?.[1] ?? "");
    const made = await api.post(paths[1] ?? "", { key: demo.token, body });
    assert.equal(made.status, 201, made.text);
    const again = await api.post(paths[1] ?? "", { key: demo.token, body });
    assert.deepEqual([again.status, again.body.id], [200, made.body.id]);

    const content = await api.get(`/api/demo/passes/${made.body.id}/content`, { key });
    assert.equal(content.body.fields.header[0].text, "0", content.text);
  });
});
