import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPorts, definePort, provide } from "./port.ts";

type Greeter = { greet(name: string): string };

const greeters = definePort<Greeter>("greeter");
const numbers = definePort<number>("number");
const mixed = definePort<number | string>("number or text");

const english: Greeter = { greet: (name) => `Hello ${name}` };
const french: Greeter = { greet: (name) => `Bonjour ${name}` };

describe("a port", () => {
  it("has what was provided to it, in order and with its type, and nothing else", () => {
    const ports = createPorts([
      provide(greeters, french),
      provide(numbers, 7),
      provide(greeters, english),
    ]);
    const greetings: string[] = ports.all(greeters).map((greeter) => greeter.greet("Ana"));
    assert.deepEqual(greetings, ["Bonjour Ana", "Hello Ana"]);
    assert.deepEqual(ports.all(numbers), [7]);
  });

  it("is empty when nothing was provided to it", () => {
    assert.deepEqual(createPorts([provide(numbers, 7)]).all(greeters), []);
  });

  it("is another one than a port of the same name and type", () => {
    const other = definePort<number>("number");
    assert.deepEqual(createPorts([provide(numbers, 7)]).all(other), []);
  });

  it("belongs to one process: what another one provides is not seen", () => {
    const [one, other] = [createPorts([provide(numbers, 1)]), createPorts([provide(numbers, 2)])];
    assert.deepEqual([one.all(numbers), other.all(numbers)], [[1], [2]]);
  });

  it("of which there must be one offer gives it, and says so when there are none or several", () => {
    const one = createPorts([provide(numbers, 0)]).one(numbers);
    assert.equal(one, 0);
    const none = /The port 'number' needs one offer and has 0\./;
    assert.throws(() => createPorts([]).one(numbers), none);
    const two = createPorts([provide(numbers, 1), provide(numbers, 2)]);
    assert.throws(() => two.one(numbers), /has 2\./);
  });

  it("takes no offer of another type", () => {
    // @ts-expect-error: text is no number.
    void provide(numbers, "7");
    // @ts-expect-error: an offer must have all that the port asks for.
    void provide(greeters, {});
    const [first] = createPorts([provide(greeters, english)]).all(greeters);
    // @ts-expect-error: a greeter has no such member.
    assert.equal(first?.wave, undefined);
    // @ts-expect-error: a port of numbers is no port of what may be a number.
    const wider: typeof mixed = numbers;
    void wider;
  });
});
