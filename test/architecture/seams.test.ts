import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { allConfigFiles, modules } from "#main/modules.ts";
import { isTest, ROOT, readSources, type Source } from "#test/support/sources.ts";

/** Connections between modules must be in `defineModule`, and be typed by an event or a port. */

const STATE_OF_RUNTIME = /\bWeakMap<\s*Runtime\b/;
const STATE_FILE = "src/kernel/per-runtime.ts";

/** A listener that was not made by `listen`, or that compares the name of an event. */
const LISTENER_BY_HAND = /\bhear\s*[(:]|\blisten\(\s*["'`]|\bname\s*[!=]==\s*["'`]/;
/** The name or the pattern of an event: `"pass.updated"`, `"pass.*"` or `"*"`. */
const EVENT_NAME = /["'`](?:[a-z][a-z-]*(?:\.(?:[a-z-]+|\*))+|\*)["'`]/;

/** Listeners that get all events, each with the reason. */
const HEARS_EVERYTHING: Readonly<Record<string, string>> = {
  "src/webhooks/deliveries/delivery.listeners.ts": "subscribers choose among all events",
};

const product = readSources("src/**/*.ts").filter((source) => !isTest(source));
const aboveKernel = product.filter(({ path }) => !path.startsWith("src/kernel/"));
const isListeners = ({ path }: Source): boolean => path.endsWith(".listeners.ts");

const having = (pattern: RegExp, sources: readonly Source[]): string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

function namedListeners(sources: readonly Source[]): string[] {
  const byHand = having(LISTENER_BY_HAND, sources.filter(isListeners));
  const byName = having(EVENT_NAME, sources.filter(isListeners));
  const elsewhere = having(
    /\bhear\s*[(:]/,
    sources.filter((source) => !isListeners(source)),
  );
  return [...new Set([...byHand, ...byName, ...elsewhere])];
}

describe("seams between modules", () => {
  it("keep state of a runtime in one way alone", () => {
    assert.deepEqual(having(STATE_OF_RUNTIME, product), [STATE_FILE]);
  });

  it("have no listener that is named by a string", () => {
    assert.ok(aboveKernel.filter(isListeners).length > 5);
    assert.deepEqual(namedListeners(aboveKernel), []);
  });

  it("let those hear everything who give a reason", () => {
    const users = having(/\blistenToEverything\(/, aboveKernel);
    assert.deepEqual(users, Object.keys(HEARS_EVERYTHING));
  });

  it("show in module.ts what a module provides", () => {
    const others = aboveKernel.filter(({ path }) => !/\/modules?\.ts$/.test(path));
    assert.deepEqual(having(/\bprovide\(/, others), []);
  });

  it("are wired by the list of modules, not by calls one by one", () => {
    const main = product.filter(({ path }) => path.startsWith("src/main/"));
    assert.deepEqual(having(/\bregister[A-Z]\w*\(/, main), []);
  });

  it("are all in the list of modules, under the names of their folders", () => {
    const folders = product.flatMap(
      ({ path }) => /^src\/([^/]+)\/module\.ts$/.exec(path)?.[1] ?? [],
    );
    const names = modules.map(({ name }) => name);
    assert.deepEqual(
      folders.filter((folder) => folder !== "kernel" && !names.includes(folder)),
      [],
    );
    assert.equal(new Set(names).size, names.length);
  });

  it("name every file that declares configuration files", () => {
    const declared = product.map(({ path }) => path).filter((path) => /\.config\.ts$/.test(path));
    assert.ok(declared.length > 3);
    const named = allConfigFiles().map(({ href }) => href);
    assert.deepEqual(
      named.toSorted(),
      declared.map((path) => pathToFileURL(join(ROOT, path)).href).toSorted(),
    );
  });
});

describe("the rule of seams", () => {
  const path = "src/passes/pass.listeners.ts";
  for (const text of [
    'export const x: Listener = { events: "pass.deleted", hear: drop };',
    "export const x: Listener = { async hear(tx, events) {} };",
    'export const x = listen("pass.deleted", drop);',
    'export const x = listenToEverything(only("pass.*"));',
    "const isMine = ({ name }: StoredEvent) => name === `pass.deleted`;",
    'const everything = "*";',
  ]) {
    it(`refuses ${text}`, () => {
      assert.deepEqual(namedListeners([{ path, text }]), [path]);
    });
  }

  it("refuses a listener by hand in any other kind of file", () => {
    const source = {
      path: "src/passes/module.ts",
      text: "listeners: [{ hear: (tx) => drop(tx) }],",
    };
    assert.equal(namedListeners([source]).length, 1);
  });

  it("allows a listener of a definition", () => {
    const text = `import { listen } from "#kernel/events/listen.ts";
      import { passDeleted } from "./pass.events.ts";
      export const x = listen(passDeleted, (tx) => tx.signal("pass", "gone"));`;
    assert.deepEqual(namedListeners([{ path, text }]), []);
  });

  it("refuses a registry by runtime", () => {
    const text = "const known = new WeakMap<Runtime, readonly Thing[]>();";
    assert.equal(having(STATE_OF_RUNTIME, [{ path, text }]).length, 1);
  });
});
