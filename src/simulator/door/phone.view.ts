import { appleCard } from "../cards/apple.card.ts";
import type { Card } from "../cards/card.ts";
import { type GooglePair, googleCard } from "../cards/google.card.ts";
import { collectionOf } from "../google/google.resources.ts";
import type { ApplePass, GooglePass, Phone } from "../phones/phone.state.ts";
import type { Bundle } from "../pkpass/bundle.ts";
import type { World } from "../simulator.world.ts";

/** What is inside a pass, before a phone draws it. */
export type PassInside =
  | { readonly wallet: "apple"; readonly bundle: Bundle }
  | { readonly wallet: "google"; readonly pair: GooglePair };

/** Relative to the page, so that it works behind a proxy that adds a prefix. */
const API = "simulator/api";
const ENTRIES_SHOWN = 20;

/** A phone as its owner sees it: the cards in its wallet and the lines on its lock screen. */
export async function presentPhone(world: World, phone: Phone) {
  const { id, kind, name, language, notices, deeds } = phone;
  const cards: Card[] = [];
  for (const pass of phone.passes) {
    const card = await presentCard(world, phone, pass);
    if (card !== undefined) cards.push(card);
  }
  return { id, kind, name, language, cards, notices, deeds };
}

export async function presentCard(
  world: World,
  phone: Phone,
  pass: ApplePass | GooglePass,
): Promise<Card | undefined> {
  const inside = await openPass(world, pass);
  if (inside === undefined) return undefined;
  const { key, updatedAt } = pass;
  const now = Date.now();
  if (inside.wallet === "google") {
    const card = googleCard(inside.pair, phone.language, { key, updatedAt, now });
    return { ...card, images: ownPictures(card.images, world.baseUrl) };
  }
  const version = "bundle" in pass ? pass.bundle.slice(0, 12) : "";
  const imageUrl = (name: string) =>
    `${API}/phones/${phone.id}/passes/${key}/images/${name}?v=${version}`;
  return appleCard(inside.bundle, phone.language, { key, updatedAt, imageUrl }, now);
}

/** Pictures of the product are asked for where the page was opened, which may have another name. */
function ownPictures(images: Card["images"], baseUrl: string): Card["images"] {
  const own = `${baseUrl}/`;
  return Object.fromEntries(
    Object.entries(images).map(([name, url]) => [
      name,
      url.startsWith(own) ? url.slice(own.length) : url,
    ]),
  );
}

export async function openPass(
  world: World,
  pass: ApplePass | GooglePass,
): Promise<PassInside | undefined> {
  if ("bundle" in pass) {
    const bundle = await world.shelf.find(pass.bundle);
    return bundle === undefined ? undefined : { wallet: "apple", bundle };
  }
  const object = world.store.find(pass.objectId);
  const klass = world.store.find(String(object?.value.classId));
  if (object === undefined) return undefined;
  const type = collectionOf(object.collection)?.type ?? "generic";
  const pair = { type, object: object.value, klass: klass?.value ?? {} };
  return { wallet: "google", pair };
}

/** Everything that the page shows. */
export async function presentWorld(world: World) {
  const phones = [];
  for (const phone of world.phones.all) phones.push(await presentPhone(world, phone));
  const pushes = world.apns.report();
  const requests = world.google.report();
  return {
    revision: world.revision,
    phones,
    apns: {
      url: world.apns.url,
      fault: world.apns.faults.current ?? null,
      counts: pushes.counts,
      pushes: pushes.pushes.slice(0, ENTRIES_SHOWN),
    },
    google: {
      url: world.google.url,
      fault: world.google.faults.current ?? null,
      quotaPerSecond: world.google.quota.perSecond,
      counts: requests.counts,
      requests: requests.requests.slice(0, ENTRIES_SHOWN),
      callbacks: world.callbacks.entries.slice(0, ENTRIES_SHOWN),
    },
  };
}
