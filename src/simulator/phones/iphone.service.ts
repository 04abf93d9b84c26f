import { randomUUID } from "node:crypto";
import { changeMessages } from "../cards/apple.card.ts";
import type { BundleShelf } from "../pkpass/bundle.cache.ts";
import { type Bundle, openBundle } from "../pkpass/bundle.ts";
import { checkSignature } from "../pkpass/cms.ts";
import {
  type EnrolmentForm,
  type EnrolmentInput,
  enrolmentOf,
  hasEnrolment,
} from "../pkpass/enrolment.ts";
import { readZip } from "../pkpass/zip.ts";
import type { Reach, Reached, ReachRequest } from "../reach.client.ts";
import { type ApplePass, addDeed, addNotice, type Iphone, passKey } from "./phone.state.ts";

/** Says to a person why a phone did not do what was asked. */
export class PhoneRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PhoneRefusal";
  }
}

/** What the owner of a phone wrote into the form of a pass. */
export type EnrolmentInfo = Readonly<Partial<Record<EnrolmentInput, string | undefined>>>;

const PASS_TYPE = "application/vnd.apple.pkpass";
const PASSES_TYPE = "application/vnd.apple.pkpasses";
/** How many passes one file may bring. */
const TOGETHER_MAX = 10;
export const PASSES_MAX = 40;
const CHANGED_MAX = 1_000;

type Options = {
  readonly reach: Reach;
  readonly shelf: BundleShelf;
  /** What a phone holds has changed. */
  onChange(): void;
};

/** How Wallet on an iPhone behaves: it downloads, checks, registers, asks and fetches. */
export class IphoneWallet {
  readonly #options: Options;
  /** One errand of a phone at a time, as a push may come while it still fetches. */
  readonly #errands = new Map<string, Promise<unknown>>();
  readonly #waking = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Adds the pass or passes at this address, or replaces the same ones. */
  install(phone: Iphone, url: string): Promise<readonly ApplePass[]> {
    return this.#inTurn(phone, async () => {
      const answer = await this.#call(phone, url, {}, "download");
      const type = answer.headers.get("content-type") ?? "";
      if (answer.status !== 200) throw new PhoneRefusal(`The address answers ${answer.status}.`);
      const archives = type.startsWith(PASSES_TYPE) ? unpack(answer.body) : [answer.body];
      if (!type.startsWith(PASS_TYPE)) {
        throw new PhoneRefusal(`The address gives ${type || "no type"} and not ${PASS_TYPE}.`);
      }
      // All are opened before one is kept: a file with one bad pass brings none.
      const opened = archives.map((archive) => ({ archive, bundle: open(archive) }));
      const added: ApplePass[] = [];
      for (const { archive, bundle } of opened) added.push(await this.#add(phone, archive, bundle));
      return added;
    });
  }

  async #add(phone: Iphone, archive: Buffer, bundle: Bundle): Promise<ApplePass> {
    const known = find(phone, bundle.passTypeIdentifier, bundle.serialNumber);
    if (known === undefined && phone.passes.length >= PASSES_MAX) {
      throw new PhoneRefusal(`A virtual phone holds at most ${PASSES_MAX} passes.`);
    }
    const now = new Date().toISOString();
    const pass = {
      key: passKey(bundle.passTypeIdentifier, bundle.serialNumber),
      passTypeIdentifier: bundle.passTypeIdentifier,
      serialNumber: bundle.serialNumber,
      bundle: await this.#options.shelf.put(archive, bundle),
      lastModified: undefined,
      isRegistered: known?.isRegistered ?? false,
      addedAt: known?.addedAt ?? now,
      updatedAt: now,
    };
    this.#keep(phone, pass);
    return await this.#register(phone, pass, bundle);
  }

  /**
   * Sends what the owner of the phone wrote about themselves, checks that the service is the one that
   * signed the pass, and fetches the pass as it is now.
   */
  enrol(phone: Iphone, key: string, given: EnrolmentInfo): Promise<void> {
    return this.#inTurn(phone, async () => {
      const pass = phone.passes.find((held) => held.key === key);
      const bundle = pass && (await this.#options.shelf.find(pass.bundle));
      if (pass === undefined || bundle === undefined) {
        throw new PhoneRefusal("The phone does not hold this pass.");
      }
      const form = enrolmentOf(bundle, phone.language);
      const service = serviceOf(bundle);
      if (form === undefined || service === undefined) {
        throw new PhoneRefusal("The pass asks for nothing.");
      }
      const token = randomUUID().toUpperCase();
      const url = `${service.url}/v1/passes/${pathOf(pass)}/personalize`;
      const request = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          personalizationToken: token,
          requiredPersonalizationInfo: infoOf(form, given),
        }),
      };
      const answer = await this.#call(phone, url, request, "personalize");
      if (answer.status !== 200) throw new PhoneRefusal(refusalOf(answer));
      await this.#checkToken(phone, service.url, { token, answer: answer.body, bundle });
      await this.#fetch(phone, service.url, pass);
      const now = phone.passes.find((held) => held.key === key);
      const after = now && (await this.#options.shelf.find(now.bundle));
      if (after !== undefined && hasEnrolment(after)) {
        await this.#complain(phone, service.url, "The pass asks again, although it was answered.");
      }
    });
  }

  async #checkToken(
    phone: Iphone,
    url: string,
    { token, answer, bundle }: { token: string; answer: Buffer; bundle: Bundle },
  ): Promise<void> {
    try {
      const signer = checkSignature(answer, Buffer.from(token), "token");
      if (signer.passTypeIdentifier === bundle.passTypeIdentifier) return;
      throw new Error("The certificate is of another pass type.");
    } catch (error) {
      const text = `The signed token is not good: ${(error as Error).message}`;
      await this.#complain(phone, url, text);
      throw new PhoneRefusal(text);
    }
  }

  /** Deletes a pass and tells its web service. */
  remove(phone: Iphone, key: string): Promise<void> {
    return this.#inTurn(phone, async () => {
      const pass = phone.passes.find((held) => held.key === key);
      if (pass === undefined) throw new PhoneRefusal("The phone does not hold this pass.");
      const bundle = await this.#options.shelf.find(pass.bundle);
      phone.passes = phone.passes.filter((held) => held.key !== key);
      phone.notices = phone.notices.filter((notice) => notice.passKey !== key);
      this.#options.onChange();
      const service = bundle && serviceOf(bundle);
      if (service === undefined) return;
      const headers = { authorization: `ApplePass ${service.token}` };
      const url = registrationUrl(service.url, phone, pass);
      await this.#call(phone, url, { method: "DELETE", headers }, "unregister").catch(
        () => undefined,
      );
    });
  }

  /** A push came: asks every web service of the phone what has changed, and fetches that. */
  async wake(phone: Iphone): Promise<void> {
    // One that has not begun yet will learn of everything: APNs, too, keeps one push for a device.
    if (this.#waking.has(phone.id)) return;
    this.#waking.add(phone.id);
    await this.#inTurn(phone, async () => {
      this.#waking.delete(phone.id);
      addDeed(phone, "A push came: asking what has changed.");
      this.#options.onChange();
      for (const [id, question] of await this.#services(phone)) {
        await this.#update(phone, id, question).catch((error: Error) => {
          this.#note(phone, `Update failed: ${error.message}`, true);
        });
      }
    });
  }

  /** The web services by their address and pass type, since a list of changes is of both. */
  async #services(phone: Iphone) {
    const found = new Map<string, { url: string; passTypeIdentifier: string }>();
    for (const { bundle: name, passTypeIdentifier } of phone.passes) {
      const bundle = await this.#options.shelf.find(name);
      const url = bundle && serviceOf(bundle)?.url;
      if (url !== undefined) found.set(`${url} ${passTypeIdentifier}`, { url, passTypeIdentifier });
    }
    return found;
  }

  async #update(
    phone: Iphone,
    id: string,
    { url, passTypeIdentifier }: { url: string; passTypeIdentifier: string },
  ): Promise<void> {
    const tag = phone.tags[id];
    const query = tag === undefined ? "" : `?passesUpdatedSince=${encodeURIComponent(tag)}`;
    const device = `${url}/v1/devices/${phone.deviceLibraryIdentifier}`;
    const list = `${device}/registrations/${encodeURIComponent(passTypeIdentifier)}${query}`;
    const answer = await this.#call(phone, list, {}, "list of changes");
    if (answer.status !== 200) return;
    const { serialNumbers, lastUpdated } = JSON.parse(answer.body.toString());
    // An iPhone ignores the whole list then, and never fetches the pass.
    if (typeof lastUpdated !== "string" || !Array.isArray(serialNumbers)) {
      throw new Error("lastUpdated must be a string, and serialNumbers a list.");
    }
    if (lastUpdated === tag && serialNumbers.length > 0) {
      await this.#complain(phone, url, "The list names passes, but the tag stayed the same.");
    }
    for (const serialNumber of serialNumbers.slice(0, CHANGED_MAX)) {
      const pass = find(phone, passTypeIdentifier, String(serialNumber));
      if (pass !== undefined) await this.#fetch(phone, url, pass);
    }
    phone.tags = { ...phone.tags, [id]: lastUpdated };
    this.#options.onChange();
  }

  async #fetch(phone: Iphone, url: string, pass: ApplePass): Promise<void> {
    const before = await this.#options.shelf.find(pass.bundle);
    const token = (before && serviceOf(before)?.token) ?? "";
    const headers = {
      authorization: `ApplePass ${token}`,
      ...(pass.lastModified === undefined ? {} : { "if-modified-since": pass.lastModified }),
    };
    const address = `${url}/v1/passes/${pathOf(pass)}`;
    const answer = await this.#call(phone, address, { headers }, "pass");
    if (answer.status !== 200) return;
    try {
      const after = openBundle(answer.body);
      if (after.serialNumber !== pass.serialNumber) throw new Error("It is another pass.");
      const lastModified = answer.headers.get("last-modified") ?? undefined;
      const updatedAt = new Date().toISOString();
      const bundle = await this.#options.shelf.put(answer.body, after);
      this.#keep(phone, { ...pass, bundle, lastModified, updatedAt });
      if (before !== undefined) this.#announce(phone, pass.key, before, after);
    } catch (error) {
      await this.#complain(phone, url, `The pass is not good: ${(error as Error).message}`);
    }
  }

  #announce(phone: Iphone, key: string, before: Bundle, after: Bundle): void {
    const title = String(after.pass.organizationName);
    for (const text of changeMessages(before, after, phone.language)) {
      addNotice(phone, key, title, text);
    }
    this.#options.onChange();
  }

  async #register(phone: Iphone, pass: ApplePass, bundle: Bundle): Promise<ApplePass> {
    const service = serviceOf(bundle);
    if (service === undefined) return pass;
    const headers = {
      authorization: `ApplePass ${service.token}`,
      "content-type": "application/json",
    };
    const body = JSON.stringify({ pushToken: phone.pushToken });
    const url = registrationUrl(service.url, phone, pass);
    const answer = await this.#call(
      phone,
      url,
      { method: "POST", headers, body },
      "register",
    ).catch(() => undefined);
    const isRegistered = answer?.status === 200 || answer?.status === 201;
    const registered = { ...pass, isRegistered };
    this.#keep(phone, registered);
    return registered;
  }

  /** Tells the web service what is wrong with it, as Wallet does. */
  async #complain(phone: Iphone, url: string, text: string): Promise<void> {
    this.#note(phone, text, true);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ logs: [`[${new Date().toISOString()}] ${text}`] });
    await this.#call(phone, `${url}/v1/log`, { method: "POST", headers, body }, "log").catch(
      () => undefined,
    );
  }

  async #call(phone: Iphone, url: string, request: ReachRequest, what: string): Promise<Reached> {
    const method = request.method ?? "GET";
    try {
      const answer = await this.#options.reach.call(url, request);
      this.#note(phone, `${method} ${what}: ${answer.status}`, answer.status >= 400);
      return answer;
    } catch (error) {
      const { message } = error as Error;
      this.#note(phone, `${method} ${what}: ${message}`, true);
      throw new PhoneRefusal(`The phone could not call the service: ${message}`);
    }
  }

  #note(phone: Iphone, text: string, isProblem: boolean): void {
    addDeed(phone, text, isProblem);
    this.#options.onChange();
  }

  #keep(phone: Iphone, pass: ApplePass): void {
    const others = phone.passes.filter(({ key }) => key !== pass.key);
    phone.passes = [...others, pass].toSorted((a, b) => b.addedAt.localeCompare(a.addedAt));
    this.#options.onChange();
  }

  #inTurn<Result>(phone: Iphone, errand: () => Promise<Result>): Promise<Result> {
    const before = this.#errands.get(phone.id) ?? Promise.resolve();
    const mine = before.then(errand, errand);
    const settled = mine.catch(() => undefined);
    this.#errands.set(phone.id, settled);
    void settled.then(() => {
      if (this.#errands.get(phone.id) === settled) this.#errands.delete(phone.id);
    });
    return mine;
  }
}

/** The files of several passes in one. */
function unpack(archive: Buffer): Buffer[] {
  let files: Map<string, Buffer>;
  try {
    files = readZip(archive);
  } catch (error) {
    throw new PhoneRefusal(`The file of passes cannot be read. ${(error as Error).message}`);
  }
  if (files.size === 0 || files.size > TOGETHER_MAX) {
    throw new PhoneRefusal(`A file of passes holds 1 to ${TOGETHER_MAX}, and not ${files.size}.`);
  }
  return [...files.values()];
}

function open(archive: Buffer): Bundle {
  try {
    return openBundle(archive);
  } catch (error) {
    throw new PhoneRefusal(`An iPhone would not take this pass: ${(error as Error).message}`);
  }
}

function find(phone: Iphone, passTypeIdentifier: string, serialNumber: string) {
  return phone.passes.find(
    (pass) => pass.passTypeIdentifier === passTypeIdentifier && pass.serialNumber === serialNumber,
  );
}

function serviceOf({ pass }: Bundle): { readonly url: string; readonly token: string } | undefined {
  const { webServiceURL: url, authenticationToken: token } = pass;
  if (typeof url !== "string" || typeof token !== "string") return undefined;
  return { url: url.replace(/\/+$/, ""), token };
}

function registrationUrl(url: string, phone: Iphone, pass: ApplePass): string {
  return `${url}/v1/devices/${phone.deviceLibraryIdentifier}/registrations/${pathOf(pass)}`;
}

const pathOf = ({ passTypeIdentifier, serialNumber }: ApplePass): string =>
  [passTypeIdentifier, serialNumber].map(encodeURIComponent).join("/");

function infoOf({ inputs }: EnrolmentForm, given: EnrolmentInfo): Record<string, string> {
  const info = Object.fromEntries(inputs.map((name) => [name, given[name]?.trim() ?? ""]));
  const missing = inputs.find((name) => info[name] === "");
  if (missing !== undefined) throw new PhoneRefusal(`The phone still asks for ${missing}.`);
  const { givenName, familyName } = info;
  return givenName === undefined ? info : { fullName: `${givenName} ${familyName}`, ...info };
}

/** With the words of the service, which a person sees who tries the form. */
function refusalOf({ status, body }: Reached): string {
  try {
    const { detail } = JSON.parse(body.toString());
    if (typeof detail === "string") return `The service answers ${status}: ${detail}`;
  } catch {
    // It said nothing.
  }
  return `The service answers ${status}.`;
}
