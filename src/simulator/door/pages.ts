import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Asset } from "#kernel/http/asset.ts";
import { chooseEncoding } from "#kernel/http/encoding.ts";
import { html } from "#kernel/http/html.ts";
import { problem } from "#kernel/http/problem.ts";
import { GoogleError } from "../google/google.errors.ts";
import { saveByLink } from "../google/google.save.ts";
import { PhoneRefusal } from "../phones/iphone.service.ts";
import type { Android } from "../phones/phone.state.ts";
import type { World } from "../simulator.world.ts";
import { presentCard } from "./phone.view.ts";

const FOLDER = new URL("../page/", import.meta.url);
const SCRIPT = "text/javascript; charset=utf-8";
const FILES: Readonly<Record<string, string>> = {
  "icon.svg": "image/svg+xml",
  "page.css": "text/css; charset=utf-8",
  "card.css": "text/css; charset=utf-8",
  "page.js": SCRIPT,
  "card.js": SCRIPT,
  "phone.js": SCRIPT,
  "enrolment.js": SCRIPT,
};
const HASH_CHARS = 16;

type Loaded = {
  readonly index: string;
  readonly assets: ReadonlyMap<string, Asset>;
  /** The folder that the files of this version stand in. */
  readonly hash: string;
};

/** Pages load their own files alone, and pictures from where passes name them. */
function headersOf(baseUrl: string): Record<string, string> {
  const { origin } = new URL(baseUrl);
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      // Google shows pictures of any https address, so passes may name any.
      `img-src 'self' https: ${origin}`,
      "connect-src 'self'",
      `form-action 'self' ${origin}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    // With `no-referrer`, browsers would send `Origin: null` with forms, which are refused then.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  };
}

/** The page with the phones, and the page of a save link. */
export class SimulatorPages {
  readonly #headers: Record<string, string>;
  #loading: Promise<Loaded> | undefined;

  constructor(baseUrl: string) {
    this.#headers = headersOf(baseUrl);
  }

  async showPhones(reply: FastifyReply): Promise<FastifyReply> {
    const { index } = await this.#load();
    return this.#page(reply, 200, index);
  }

  async sendAsset(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { hash, name } = request.params as { hash: string; name: string };
    const asset = (await this.#load()).assets.get(`${hash}/${name}`);
    if (asset === undefined) throw problem("routeNotFound", "There is nothing at this address.");
    const accepted = request.headers["accept-encoding"];
    const encoding = chooseEncoding(Array.isArray(accepted) ? accepted.join(",") : accepted);
    reply.type(asset.type).headers({
      ...this.#headers,
      vary: "accept-encoding",
      // The address contains a hash of the content, so a cached copy is never out of date.
      "cache-control": "public, max-age=31536000, immutable",
    });
    if (encoding !== "identity") reply.header("content-encoding", encoding);
    return reply.send(await asset.encoded(encoding));
  }

  /** What a person sees who follows a save link: the pass, and the phones that could take it. */
  async showSave(world: World, token: string, reply: FastifyReply): Promise<FastifyReply> {
    try {
      const { objectIds } = saveByLink(token, world.accounts, world.store);
      const phones = world.phones.all.filter((phone): phone is Android => phone.kind === "android");
      const title = await titleOf(world, objectIds[0] ?? "");
      return await this.#savePage(reply, 200, {
        title,
        lead: "Which virtual phone is it for? A real one would use the account you are signed in to.",
        body: html`<form method="post">
${phones.map(({ id, name }) => html`<button name="phone" value="${id}">${name}</button>`)}
<button name="phone" value="new" class="quiet">A new Android phone</button>
</form>`,
      });
    } catch (error) {
      if (!(error instanceof GoogleError)) throw error;
      return await this.#refuse(reply, error.status, error.message);
    }
  }

  async takeSave(
    world: World,
    token: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { body } = request;
    const form = new URLSearchParams(Buffer.isBuffer(body) ? body.toString() : "");
    const wanted = form.get("phone") ?? "";
    const phone =
      wanted === "new" ? world.phones.add("android", "Android", "en") : world.phones.find(wanted);
    if (phone?.kind !== "android") {
      return await this.#refuse(reply, 404, "There is no such Android phone.");
    }
    try {
      world.android.save(phone, token);
    } catch (error) {
      if (!(error instanceof PhoneRefusal)) throw error;
      return await this.#refuse(reply, 422, error.message);
    }
    // Relative, so that it works behind a proxy that adds a prefix.
    return reply.redirect(`../../../../simulator#phone=${phone.id}`, 303);
  }

  #refuse(reply: FastifyReply, status: number, reason: string): Promise<FastifyReply> {
    return this.#savePage(reply, status, { title: "This pass cannot be saved", lead: reason });
  }

  async #savePage(
    reply: FastifyReply,
    status: number,
    { title, lead, body }: { title: string; lead: string; body?: ReturnType<typeof html> },
  ): Promise<FastifyReply> {
    const { hash } = await this.#load();
    const assets = `../../../assets/${hash}`;
    const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Simulator</title>
<link rel="icon" href="${assets}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets}/page.css">
</head>
<body class="save">
<main>
<p class="eyebrow">Add to Google Wallet · simulated</p>
<h1>${title}</h1>
<p class="lead">${lead}</p>
${body}
</main>
</body>
</html>
`;
    return this.#page(reply, status, page.text);
  }

  #page(reply: FastifyReply, status: number, page: string): FastifyReply {
    return reply.code(status).headers(this.#headers).type("text/html; charset=utf-8").send(page);
  }

  #load(): Promise<Loaded> {
    this.#loading ??= load();
    return this.#loading;
  }
}

async function titleOf(world: World, objectId: string): Promise<string> {
  const pass = { key: "", objectId, addedAt: "", updatedAt: "" };
  const reader = {
    kind: "android",
    id: "",
    name: "",
    language: "en",
    notices: [],
    deeds: [],
    passes: [],
  } as const;
  const card = await presentCard(world, { ...reader, passes: [] }, pass);
  return card?.description || "A pass";
}

async function load(): Promise<Loaded> {
  const names = Object.keys(FILES);
  const files = await Promise.all(names.map((name) => readFile(new URL(name, FOLDER))));
  const whole = createHash("sha256");
  for (const file of files) whole.update(file);
  // One hash for all files, because the scripts import each other by name.
  const hash = whole.digest("base64url").slice(0, HASH_CHARS);
  const assets = new Map(
    names.map((name, at) => [
      `${hash}/${name}`,
      new Asset(FILES[name] ?? "", "identity", files[at] ?? Buffer.alloc(0)),
    ]),
  );
  const page = await readFile(new URL("index.html", FOLDER), "utf8");
  return { index: page.replaceAll("{{assets}}", `simulator/assets/${hash}`), assets, hash };
}
