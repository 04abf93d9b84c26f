import assert from "node:assert/strict";
import { afterEach } from "node:test";
import { shareApi, type TestApi } from "./start-api.ts";

/**
 * An API that must survive whatever the tests of this suite do: after each one it answers, has not
 * failed on its own account, and has left the prototypes of the language alone.
 */
export function shareHostedApi(): () => TestApi {
  const api = shareApi();
  afterEach(async () => {
    assert.equal((await api().get("/api/warmup")).status, 200, "the process answers");
    const failures = api().logLines.filter((line) => /"level":"error"|"status":5\d\d/.test(line));
    assert.deepEqual(failures, [], "no request failed on our account");
    assert.deepEqual(Object.keys(Object.prototype), [], "Object.prototype is as it was");
    const plain: Record<string, unknown> = {};
    assert.equal(plain.polluted, undefined, "nothing is inherited");
  });
  return api;
}

type Answer = {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
};

/** A problem as the API documents it, with a stable code and something to read. */
export function assertProblem(answer: Answer, status: number, code: string, about = ""): void {
  const { body } = answer;
  assert.equal(answer.status, status, `${about}: ${JSON.stringify(body)}`);
  assert.equal(body?.code, code, about);
  assert.equal(body.status, status, about);
  assert.equal(body.type, `urn:problem:${code}`, about);
  assert.match(body.requestId, /^[\w.:-]+$/, about);
  assert.ok(body.title.length > 0 && body.detail.length > 0, about);
}
