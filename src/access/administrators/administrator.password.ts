import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { defineError } from "#kernel/errors.ts";

/** OWASP's first choice for scrypt: 128 MiB and about half a second of one core per password. */
let newCost: Cost = { ln: 17, r: 8, p: 1 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const SHAPE = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;

/** Limits the memory for passwords: each one that is checked needs 128 MiB. */
const RUNNING_MAX = 2;
const WAITING_MAX = 50;

export const signInBusy = defineError({
  code: "service.unavailable",
  status: 503,
  title: "Service temporarily unavailable",
  detail: () => "Too many people sign in at this moment. Try again shortly.",
  headers: () => ({ "retry-after": "5" }),
});

/**
 * For tests that create many accounts. `administrator.password.test.ts` checks that the product
 * never calls this function.
 */
export function lowerPasswordCost(ln: number): void {
  newCost = { ...newCost, ln };
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const { ln, r, p } = newCost;
  const key = await derive(password, salt, { ln, r, p });
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encode(salt)}$${encode(key)}`;
}

/** Takes the same time without a hash, so that the time does not show which accounts exist. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const stored = hash === null ? undefined : parse(hash);
  if (stored === undefined) {
    await derive(password, randomBytes(SALT_BYTES), newCost);
    return false;
  }
  const key = await derive(password, stored.salt, stored.cost);
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

let running = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
  await enter();
  try {
    const N = 2 ** ln;
    const options: ScryptOptions = { N, r, p, maxmem: 128 * N * r + 1024 * 1024 };
    // Two keyboards may send the same password in two Unicode forms.
    const plain = password.normalize("NFKC");
    return await new Promise((resolve, reject) => {
      scrypt(plain, salt, KEY_BYTES, options, (error, key) =>
        error === null ? resolve(key) : reject(error),
      );
    });
  } finally {
    leave();
  }
}

async function enter(): Promise<void> {
  if (running < RUNNING_MAX) {
    running += 1;
    return;
  }
  if (waiting.length >= WAITING_MAX) throw signInBusy();
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Gives the place to the first caller that waits, so that a new caller cannot take it before. */
function leave(): void {
  const next = waiting.shift();
  if (next === undefined) running -= 1;
  else next();
}
