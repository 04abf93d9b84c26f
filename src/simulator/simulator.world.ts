import { EventEmitter } from "node:events";
import { join } from "node:path";
import type { Log } from "#kernel/log.ts";
import { ApnsServer } from "./apns/apns.server.ts";
import { makeAuthority } from "./certificates/authority.ts";
import { Callbacks } from "./google/callback.client.ts";
import { CallbackSigner, makeRootKey } from "./google/callback.signer.ts";
import { type Account, Accounts, makeAccount } from "./google/google.accounts.ts";
import { GoogleServer } from "./google/google.server.ts";
import { GoogleStore } from "./google/google.store.ts";
import { AndroidWallet } from "./phones/android.service.ts";
import { IphoneWallet } from "./phones/iphone.service.ts";
import type { Android, Iphone } from "./phones/phone.state.ts";
import { Phones } from "./phones/phones.ts";
import { BundleShelf } from "./pkpass/bundle.cache.ts";
import { Reach } from "./reach.client.ts";
import { readState, type SimulatorState, StateFile } from "./simulator.file.ts";

export type WorldOptions = {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly log: Log;
};

/** More objects than this are forgotten at a restart: nobody looks at them one by one. */
const KEPT_RESOURCES_MAX = 5_000;
export const ACCOUNTS_MAX = 50;

/** The simulated world: Apple's side, Google's side, and the phones between them and the product. */
export class World {
  /** The public address of the product. */
  readonly baseUrl: string;
  readonly saveUrl: string;
  readonly reach: Reach;
  readonly shelf: BundleShelf;
  readonly accounts: Accounts;
  readonly store: GoogleStore;
  readonly phones: Phones;
  readonly apns: ApnsServer;
  readonly google: GoogleServer;
  readonly callbacks: Callbacks;
  readonly authorityPem: string;
  readonly #changes = new EventEmitter();
  readonly #file: StateFile;
  #revision = 0;

  static async open(options: WorldOptions): Promise<World> {
    const folder = join(options.dataDir, "simulator");
    const kept = (await readState(folder)) ?? (await newState());
    const world = new World(options, folder, kept);
    await Promise.all([world.apns.open(), world.google.open()]);
    world.changed();
    await world.shelf.sweep(world.phones.bundles());
    return world;
  }

  private constructor({ baseUrl, log }: WorldOptions, folder: string, kept: SimulatorState) {
    this.baseUrl = baseUrl;
    this.saveUrl = `${baseUrl}/simulator/gp/v/save`;
    this.reach = new Reach(baseUrl);
    this.shelf = new BundleShelf(join(folder, "bundles"));
    this.accounts = new Accounts(kept.accounts);
    this.store = new GoogleStore(kept.resources, (change) => this.#android.show(change));
    const signer = new CallbackSigner(kept.googleRootKey);
    const { accounts, store, reach, saveUrl, shelf } = this;
    this.callbacks = new Callbacks({ reach, signer, store, log });
    const onChange = () => this.changed();
    this.phones = new Phones(kept.phones, kept.goneTokens);
    const phonesOf = <Kind>(kind: string) =>
      this.phones.all.filter((phone) => phone.kind === kind) as Kind[];
    this.#iphone = new IphoneWallet({ reach, shelf, onChange });
    this.#android = new AndroidWallet({
      reach,
      accounts,
      store,
      callbacks: this.callbacks,
      phones: () => phonesOf<Android>("android"),
      onChange,
    });
    this.authorityPem = kept.authority.certificatePem;
    this.apns = new ApnsServer({
      authority: kept.authority,
      tokens: this.phones,
      onPush: (token) => {
        const phone = phonesOf<Iphone>("iphone").find(({ pushToken }) => pushToken === token);
        if (phone !== undefined) void this.#iphone.wake(phone).catch(() => undefined);
      },
    });
    this.google = new GoogleServer({ accounts, store, signer, saveUrl });
    this.#file = new StateFile(folder, () => this.#state(kept));
  }

  readonly #iphone: IphoneWallet;
  readonly #android: AndroidWallet;

  get iphone(): IphoneWallet {
    return this.#iphone;
  }

  get android(): AndroidWallet {
    return this.#android;
  }

  /** Grows with every change of what phones show. */
  get revision(): number {
    return this.#revision;
  }

  changed(): void {
    this.#revision += 1;
    this.#file.changed();
    this.#changes.emit("changed");
  }

  /** Calls back at every change, until the function that it gives is called. */
  watch(tell: () => void): () => void {
    this.#changes.setMaxListeners(0);
    this.#changes.on("changed", tell);
    return () => this.#changes.off("changed", tell);
  }

  async demoAccount(): Promise<Account> {
    const [first] = this.accounts.all;
    if (first !== undefined) return first;
    throw new Error("The simulator has no account.");
  }

  /** Undefined if there are too many. */
  async addAccount(hasAccess: boolean): Promise<Account | undefined> {
    if (this.accounts.all.length >= ACCOUNTS_MAX) return undefined;
    const account = await makeAccount(hasAccess);
    this.accounts.add(account);
    this.changed();
    return account;
  }

  /**
   * Forgets phones, faults and logs. Keys, accounts, classes and objects stay: Google forgets none
   * either, and the product relies on that.
   */
  async reset(): Promise<void> {
    this.phones.clear();
    this.store.forgetUsers();
    await this.apns.setFault(undefined);
    await this.google.setFault(undefined);
    this.apns.forget();
    this.google.forget();
    await this.shelf.sweep(new Set());
    this.changed();
  }

  async close(): Promise<void> {
    this.callbacks.close();
    this.reach.close();
    await Promise.all([this.apns.close(), this.google.close()]);
    await this.#file.flush();
  }

  /** All classes: the product makes none again that Google has taken. */
  #keptResources(): SimulatorState["resources"] {
    const entries = this.store.entries();
    const isObject = ([, { value }]: (typeof entries)[number]) => "classId" in value;
    return [
      ...entries.filter((entry) => !isObject(entry)),
      ...entries.filter(isObject).slice(-KEPT_RESOURCES_MAX),
    ];
  }

  #state({ authority, googleRootKey }: SimulatorState): SimulatorState {
    return {
      version: 1,
      authority,
      googleRootKey,
      accounts: this.accounts.all,
      resources: this.#keptResources(),
      phones: this.phones.all,
      goneTokens: this.phones.goneTokens,
    };
  }
}

async function newState(): Promise<SimulatorState> {
  return {
    version: 1,
    authority: makeAuthority(),
    googleRootKey: makeRootKey(),
    accounts: [await makeAccount(true)],
    resources: [],
    phones: [],
    goneTokens: [],
  };
}
