import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { FairGate } from "#kernel/fair-gate.ts";

/** OWASP's first choice for scrypt: 128 MiB and about half a second of one core per password. */
let newCost: Cost = { ln: 17, r: 8, p: 1 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const SHAPE = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;

const WAITING = { waitingPerGroupMax: 20, waitMsMax: 30_000 } as const;

/**
 * One password at a time each, which limits the memory: a password that is checked needs 128 MiB.
 * Unknown browsers wait at one gate, in turns by address, and take one core at most. Known browsers
 * and the holders of sign-in links wait at the other gate, and so never behind strangers.
 */
const GATES = {
  known: new FairGate({ atOnceMax: 1, ...WAITING }),
  unknown: new FairGate({ atOnceMax: 1, ...WAITING, waitingMax: 500 }),
} as const;

export type PasswordTurn = {
  readonly gate: keyof typeof GATES;
  /** Groups take turns, so that one with many passwords delays only itself. */
  readonly group: string;
};

/**
 * For tests that create many accounts. `administrator.password.test.ts` checks that the product
 * never calls this function.
 */
export function lowerPasswordCost(ln: number): void {
  newCost = { ...newCost, ln };
}

export async function hashPassword(password: string, turn: PasswordTurn): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const { ln, r, p } = newCost;
  const key = await derive(password, salt, { ln, r, p }, turn);
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encode(salt)}$${encode(key)}`;
}

/** Takes the same time without a hash, so that the time does not show which accounts exist. */
export async function verifyPassword(
  password: string,
  hash: string | null,
  turn: PasswordTurn,
): Promise<boolean> {
  const stored = hash === null ? undefined : parse(hash);
  if (stored === undefined) {
    await derive(password, randomBytes(SALT_BYTES), newCost, turn);
    return false;
  }
  const key = await derive(password, stored.salt, stored.cost, turn);
  return key.length === stored.key.length && timingSafeEqual(key, stored.key);
}

type Cost = { readonly ln: number; readonly r: number; readonly p: number };

function parse(hash: string): { cost: Cost; salt: Buffer; key: Buffer } | undefined {
  const [, ln, r, p, salt, key] = SHAPE.exec(hash) ?? [];
  if (salt === undefined || key === undefined) return undefined;
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64"),
    key: Buffer.from(key, "base64"),
  };
}

function encode(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

function derive(
  password: string,
  salt: Buffer,
  { ln, r, p }: Cost,
  { gate, group }: PasswordTurn,
): Promise<Buffer> {
  const N = 2 ** ln;
  const options: ScryptOptions = { N, r, p, maxmem: 128 * N * r + 1024 * 1024 };
  // Two keyboards may send the same password in two Unicode forms.
  const plain = password.normalize("NFKC");
  return GATES[gate].run(
    group,
    () =>
      new Promise((resolve, reject) => {
        scrypt(plain, salt, KEY_BYTES, options, (error, key) =>
          error === null ? resolve(key) : reject(error),
        );
      }),
  );
}
