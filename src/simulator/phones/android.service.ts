import { memberText } from "../cards/google.values.ts";
import type { Callbacks } from "../google/callback.client.ts";
import type { Accounts } from "../google/google.accounts.ts";
import { GoogleError } from "../google/google.errors.ts";
import { saveByLink } from "../google/google.save.ts";
import type { GoogleChange, GoogleStore } from "../google/google.store.ts";
import type { Reach } from "../reach.client.ts";
import { PASSES_MAX, PhoneRefusal } from "./iphone.service.ts";
import { type Android, addDeed, addNotice, passKey } from "./phone.state.ts";

const SAVE_PATH = "/gp/v/save/";
const ONE_DEVICE = "ONE_USER_ONE_DEVICE";

type Options = {
  readonly reach: Reach;
  readonly accounts: Accounts;
  readonly store: GoogleStore;
  readonly callbacks: Callbacks;
  phones(): readonly Android[];
  onChange(): void;
};

/** How Google Wallet on an Android phone behaves: it shows what Google has. */
export class AndroidWallet {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Saves by a link, or by an address of the product that leads to one. */
  async install(phone: Android, link: string): Promise<readonly string[]> {
    const token = tokenOf(link) ?? tokenOf(await this.#follow(phone, link));
    if (token === undefined) throw new PhoneRefusal("The address leads to no save link of Google.");
    return this.save(phone, token);
  }

  /** Saves the objects that the token of a link names, and gives the keys of the passes. */
  save(phone: Android, token: string): readonly string[] {
    const { accounts, store, callbacks, onChange } = this.#options;
    const { objectIds } = asRefusal(() => saveByLink(token, accounts, store));
    for (const objectId of objectIds) {
      const isKnown = phone.passes.some((pass) => pass.objectId === objectId);
      if (isKnown) continue;
      if (phone.passes.length >= PASSES_MAX) {
        throw new PhoneRefusal(`A virtual phone holds at most ${PASSES_MAX} passes.`);
      }
      this.#requireFree(objectId);
      const now = new Date().toISOString();
      const pass = { key: passKey(objectId), objectId, addedAt: now, updatedAt: now };
      phone.passes = [pass, ...phone.passes];
      addDeed(phone, `Saved ${objectId}.`);
      store.noteUsers(objectId, true);
      callbacks.tell(objectId, "save");
    }
    onChange();
    return objectIds.map((objectId) => passKey(objectId));
  }

  remove(phone: Android, key: string): void {
    const { store, callbacks, onChange } = this.#options;
    const pass = phone.passes.find((held) => held.key === key);
    if (pass === undefined) throw new PhoneRefusal("The phone does not hold this pass.");
    phone.passes = phone.passes.filter((held) => held.key !== key);
    phone.notices = phone.notices.filter((notice) => notice.passKey !== key);
    addDeed(phone, `Removed ${pass.objectId}.`);
    store.noteUsers(pass.objectId, this.#holders(pass.objectId).length > 0);
    callbacks.tell(pass.objectId, "del");
    onChange();
  }

  /** Google changed a class or an object: phones that hold it show that at once. */
  show({ id, isClass, notice }: GoogleChange): void {
    const { store, onChange } = this.#options;
    const isMeant = (objectId: string) =>
      isClass ? store.find(objectId)?.value.classId === id : objectId === id;
    for (const phone of this.#options.phones()) {
      if (!phone.passes.some(({ objectId }) => isMeant(objectId))) continue;
      const updatedAt = new Date().toISOString();
      phone.passes = phone.passes.map((pass) => {
        if (!isMeant(pass.objectId)) return pass;
        if (notice !== undefined) {
          const [title, text] = ["header", "body"].map((name) =>
            memberText(notice, name, phone.language),
          );
          addNotice(phone, pass.key, title || this.#issuerName(pass.objectId), text ?? "");
        }
        return { ...pass, updatedAt };
      });
      addDeed(phone, `Google changed ${id}.`);
    }
    onChange();
  }

  async #follow(phone: Android, link: string): Promise<string> {
    const { reach } = this.#options;
    const answer = await reach.call(link).catch((error: Error) => {
      throw new PhoneRefusal(`The phone could not call the service: ${error.message}`);
    });
    addDeed(phone, `GET link: ${answer.status}`, answer.status >= 400);
    if (answer.status >= 400) throw new PhoneRefusal(`The address answers ${answer.status}.`);
    return answer.headers.get("location") ?? "";
  }

  #issuerName(objectId: string): string {
    const { store } = this.#options;
    const classId = String(store.find(objectId)?.value.classId);
    const name = store.find(classId)?.value.issuerName;
    return typeof name === "string" ? name : "Google Wallet";
  }

  #holders(objectId: string): readonly Android[] {
    return this.#options
      .phones()
      .filter((phone) => phone.passes.some((pass) => pass.objectId === objectId));
  }

  #requireFree(objectId: string): void {
    const { store } = this.#options;
    const classId = String(store.find(objectId)?.value.classId);
    const status = store.find(classId)?.value.multipleDevicesAndHoldersAllowedStatus;
    if (status === ONE_DEVICE && this.#holders(objectId).length > 0) {
      throw new PhoneRefusal("Another phone holds this pass, and its class allows one only.");
    }
  }
}

function tokenOf(link: string): string | undefined {
  const at = link.indexOf(SAVE_PATH);
  if (at === -1) return undefined;
  return link.slice(at + SAVE_PATH.length).split(/[?#/]/, 1)[0];
}

function asRefusal<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof GoogleError) {
      throw new PhoneRefusal(`Google would not save this: ${error.message}`);
    }
    throw error;
  }
}
