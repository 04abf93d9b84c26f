import type { FastifyReply, FastifyRequest } from "fastify";
import { validationProblem } from "#kernel/errors.ts";
import { problem } from "#kernel/http/problem.ts";
import { drawBarcode } from "../cards/barcode.image.ts";
import type { Fault } from "../faults.ts";
import { serviceAccountFile } from "../google/google.accounts.ts";
import type { ApplePass, GooglePass, Phone } from "../phones/phone.state.ts";
import { PHONES_MAX } from "../phones/phones.ts";
import { imageOf } from "../pkpass/bundle.ts";
import { ACCOUNTS_MAX, type World } from "../simulator.world.ts";
import { openPass, presentCard, presentPhone, presentWorld } from "./phone.view.ts";
import {
  accountsFull,
  heldPassNotFound,
  phoneNotFound,
  phoneRefused,
  phonesFull,
  pictureNotFound,
} from "./simulator.errors.ts";
import {
  AccountCreate,
  EnrolmentSend,
  FaultSet,
  PassInstall,
  PhoneCreate,
  QuotaSet,
  TokenSet,
} from "./simulator.schema.ts";
import { asProblem, bodyOf, sendJson } from "./visit.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";
type Names = Readonly<Record<string, string>>;
type Handle = (
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply> | FastifyReply;

const SLOW_MS = 5_000;
const PAGE_PATH = /^(.*\/p\/[^/]+\/[^/?#]+?)\/?$/;
/** Pictures are of strangers, and shown from our own address: nothing in them may run. */
const PICTURE_HEADERS = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "x-content-type-options": "nosniff",
  "cache-control": "private, max-age=3600",
};

type Entry = { readonly method: string; readonly pattern: RegExp; readonly handle: Handle };
type On = (method: Method, path: string, handle: Handle) => void;

/**
 * The addresses by which programs, and the page, use the phones and the simulated services. They
 * have a table of their own, because it is loaded at the first use and routes of the server cannot
 * be added by then.
 */
export function createApi(): Handle {
  const entries: Entry[] = [];
  const on: On = (method, path, handle) => {
    const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
    entries.push({ method, pattern, handle });
  };
  addPhones(on);
  addPasses(on);
  addServices(on);
  return async (world, request, reply) => {
    const path = `/${(request.params as Names)["*"] ?? ""}`;
    const known = entries.filter(({ pattern }) => pattern.test(path));
    const method = request.method === "HEAD" ? "GET" : request.method;
    const entry = known.find((candidate) => candidate.method === method);
    if (known.length === 0) throw problem("routeNotFound", "There is nothing at this address.");
    if (entry === undefined) throw problem("methodNotAllowed", `${method} is not known here.`);
    request.params = { ...entry.pattern.exec(path)?.groups };
    return await asProblem(() => entry.handle(world, request, reply));
  };
}

function addPhones(on: On): void {
  on("GET", "/state", async (world, _request, reply) =>
    sendJson(reply, 200, await presentWorld(world)),
  );
  on("GET", "/phones", async (world, _request, reply) => {
    const phones = await Promise.all(world.phones.all.map((phone) => presentPhone(world, phone)));
    return sendJson(reply, 200, { phones });
  });
  on("POST", "/phones", async (world, request, reply) => {
    const { kind, name, language = "en" } = bodyOf(request, PhoneCreate);
    const usual = kind === "iphone" ? "iPhone" : "Android";
    const phone = world.phones.add(kind, name ?? usual, language);
    if (phone === undefined) throw phonesFull({ max: PHONES_MAX });
    world.changed();
    return sendJson(reply, 201, await presentPhone(world, phone));
  });
  on("GET", "/phones/:id", async (world, request, reply) =>
    sendJson(reply, 200, await presentPhone(world, phoneOf(world, request))),
  );
  // With `wiped=true` as if it fell into a lake: nobody is told, and Apple answers 410 from then on.
  on("DELETE", "/phones/:id", async (world, request, reply) => {
    const phone = phoneOf(world, request);
    const { wiped } = request.query as { wiped?: unknown };
    if (wiped !== "true") for (const { key } of phone.passes) await removePass(world, phone, key);
    world.phones.remove(phone);
    world.changed();
    return reply.code(204).send();
  });
  on("DELETE", "/phones/:id/notices", (world, request, reply) => {
    phoneOf(world, request).notices = [];
    world.changed();
    return reply.code(204).send();
  });
}

function addPasses(on: On): void {
  on("POST", "/phones/:id/passes", async (world, request, reply) => {
    const phone = phoneOf(world, request);
    const { url, link } = bodyOf(request, PassInstall);
    const address = (url ?? link)?.trim();
    if (!address) throw validationProblem({ url: ["is needed: where the pass is"] });
    const keys =
      phone.kind === "iphone"
        ? (await world.iphone.install(phone, address.replace(PAGE_PATH, applePath))).map(
            ({ key }) => key,
          )
        : await world.android.install(phone, address.replace(PAGE_PATH, googlePath));
    const cards = await Promise.all(
      phone.passes
        .filter(({ key }) => keys.includes(key))
        .map((pass) => presentCard(world, phone, pass)),
    );
    return sendJson(reply, 201, { keys, cards });
  });
  on("DELETE", "/phones/:id/passes/:key", async (world, request, reply) => {
    const { phone, pass } = passOf(world, request);
    await removePass(world, phone, pass.key);
    return reply.code(204).send();
  });
  on("GET", "/phones/:id/passes/:key", async (world, request, reply) => {
    const { phone, pass } = passOf(world, request);
    const inside = await openPass(world, pass);
    if (inside === undefined) throw heldPassNotFound({ key: pass.key });
    const card = await presentCard(world, phone, pass);
    if (inside.wallet === "google") return sendJson(reply, 200, { card, ...inside.pair });
    // The token would let a reader act as the phone.
    const { authenticationToken: _, ...content } = inside.bundle.pass;
    return sendJson(reply, 200, { card, pass: content, files: [...inside.bundle.files.keys()] });
  });
  on("POST", "/phones/:id/passes/:key/enrolment", async (world, request, reply) => {
    const { phone, pass } = passOf(world, request);
    const given = bodyOf(request, EnrolmentSend);
    if (phone.kind !== "iphone") throw phoneRefused({ reason: "Only an iPhone asks its owner." });
    await world.iphone.enrol(phone, pass.key, given);
    const now = phone.passes.find(({ key }) => key === pass.key) ?? pass;
    return sendJson(reply, 200, { card: await presentCard(world, phone, now) });
  });
  on("GET", "/phones/:id/passes/:key/images/:name", async (world, request, reply) => {
    const { phone, pass } = passOf(world, request);
    const inside = await openPass(world, pass);
    const { name = "" } = request.params as Names;
    const image =
      inside?.wallet === "apple" ? imageOf(inside.bundle, name, phone.language) : undefined;
    if (image === undefined) throw pictureNotFound();
    return reply.headers({ ...PICTURE_HEADERS, "content-type": "image/png" }).send(image);
  });
  on("GET", "/phones/:id/passes/:key/barcode.svg", async (world, request, reply) => {
    const { phone, pass } = passOf(world, request);
    const barcode = (await presentCard(world, phone, pass))?.barcode;
    const svg = barcode && (await drawBarcode(barcode).catch(() => undefined));
    if (svg === undefined) throw pictureNotFound();
    return reply.headers({ ...PICTURE_HEADERS, "content-type": "image/svg+xml" }).send(svg);
  });
}

function addServices(on: On): void {
  for (const name of ["apns", "google"] as const) {
    on("PUT", `/faults/${name}`, async (world, request, reply) => {
      const { kind, delayMs = SLOW_MS, times } = bodyOf(request, FaultSet);
      if (kind === "goaway" && name === "google") {
        throw validationProblem({
          kind: ["is a fault of HTTP/2, which Google's API is not called by"],
        });
      }
      const fault: Fault = { kind, delayMs, times };
      await world[name].setFault(fault);
      world.changed();
      return sendJson(reply, 200, fault);
    });
    on("DELETE", `/faults/${name}`, async (world, _request, reply) => {
      await world[name].setFault(undefined);
      world.changed();
      return reply.code(204).send();
    });
  }
  on("PUT", "/tokens/:token", (world, request, reply) => {
    const { token = "" } = request.params as Names;
    const { as } = bodyOf(request, TokenSet);
    if (as === "gone") world.phones.markGone(token);
    else world.phones.markBad(token);
    return reply.code(204).send();
  });
  on("PUT", "/google/quota", (world, request, reply) => {
    const { perSecond } = bodyOf(request, QuotaSet);
    world.google.quota.perSecond = perSecond;
    return sendJson(reply, 200, { perSecond });
  });
  on("POST", "/google/accounts", async (world, request, reply) => {
    const { hasAccess = true } = bodyOf(request, AccountCreate);
    const account = await world.addAccount(hasAccess);
    if (account === undefined) throw accountsFull({ max: ACCOUNTS_MAX });
    const { issuerId } = account;
    return sendJson(reply, 201, { issuerId, serviceAccount: serviceAccountFile(account) });
  });
  on("POST", "/reset", async (world, _request, reply) => {
    await world.reset();
    return reply.code(204).send();
  });
}

const applePath = (_: string, page: string): string =>
  page.endsWith(".pkpass") ? page : `${page}/pass.pkpass`;
const googlePath = (_: string, page: string): string => `${page}/google`;

async function removePass(world: World, phone: Phone, key: string): Promise<void> {
  if (phone.kind === "iphone") await world.iphone.remove(phone, key);
  else world.android.remove(phone, key);
}

function phoneOf(world: World, { params }: FastifyRequest): Phone {
  const { id = "" } = params as Names;
  const phone = world.phones.find(id);
  if (phone === undefined) throw phoneNotFound({ id });
  return phone;
}

function passOf(world: World, request: FastifyRequest) {
  const phone = phoneOf(world, request);
  const { key = "" } = request.params as Names;
  const passes: readonly (ApplePass | GooglePass)[] = phone.passes;
  const pass = passes.find((held) => held.key === key);
  if (pass === undefined) throw heldPassNotFound({ key });
  return { phone, pass };
}
