import { type Clock, systemClock } from "#kernel/clock.ts";
import { readKept, StateFile, VENDORS_NAME } from "../simulator.file.ts";
import { Bloomreach } from "./bloomreach/bloomreach.service.ts";
import { BRAZE } from "./braze/braze.journey.ts";
import { BREVO } from "./brevo/brevo.journey.ts";
import { Customerio } from "./customerio/customerio.service.ts";
import { KLAVIYO } from "./flows/flow.rules.ts";
import { Flows } from "./flows/flow.service.ts";
import { Scenarios } from "./flows/scenario.service.ts";
import { VendorClock } from "./frame/clock.ts";
import type { Vendor, VendorTools } from "./frame/vendor.ts";
import { HUBSPOT } from "./hubspot/hubspot.journey.ts";
import { Journeys } from "./journeys/journey.service.ts";
import type { JourneyKind } from "./journeys/journey.ts";
import { Loyaltylion } from "./loyaltylion/loyaltylion.service.ts";
import { addPretixControl } from "./pretix/pretix.control.ts";
import { Pretix } from "./pretix/pretix.service.ts";
import { Sfmc } from "./sfmc/sfmc.service.ts";
import { Shopify } from "./shopify/shopify.service.ts";
import { Siteverify } from "./siteverify/siteverify.service.ts";
import { Square } from "./square/square.service.ts";
import { Tito } from "./tito/tito.service.ts";

export type VendorsOptions = {
  /** Where an address really is that vendors are told to call; throws for one that they may not. */
  readonly resolve: (url: string) => string;
  /** Where they keep what they know; nowhere if nothing is said. */
  readonly folder?: string;
  readonly wall?: Clock;
  /** Whether their time goes on by itself, or only when it is told to. */
  readonly ticks?: boolean;
};

type JourneysOf<Kind> =
  Kind extends JourneyKind<infer Sent, infer Step> ? Journeys<Sent, Step> : never;

type Kept = { readonly version: 1; readonly vendors: Readonly<Record<string, unknown>> };

/** The other side of every connector: vendors of shops, tickets, mails and checks. */
export class Vendors {
  readonly clock: VendorClock;
  readonly bloomreach: Bloomreach;
  readonly pretix: Pretix;
  readonly shopify: Shopify;
  readonly siteverify: Siteverify;
  readonly tito: Tito;
  readonly square: Square;
  readonly sfmc: Sfmc;
  readonly loyaltylion: Loyaltylion;
  readonly customerio: Customerio;
  readonly klaviyo: Flows;
  readonly braze: JourneysOf<typeof BRAZE>;
  readonly brevo: JourneysOf<typeof BREVO>;
  readonly hubspot: JourneysOf<typeof HUBSPOT>;
  /** Those of Bloomreach. */
  readonly scenarios: Scenarios;
  readonly #file: StateFile<Kept> | undefined;

  static async open(options: VendorsOptions): Promise<Vendors> {
    const kept = options.folder && (await readKept<Kept>(options.folder, VENDORS_NAME));
    const vendors = new Vendors(options, kept || undefined);
    await Promise.all(vendors.all.map((vendor) => vendor.open()));
    return vendors;
  }

  private constructor(options: VendorsOptions, kept: Kept | undefined) {
    const { resolve, folder, wall = systemClock, ticks = true } = options;
    this.clock = new VendorClock({ wall, ticks });
    this.#file =
      folder === undefined ? undefined : new StateFile(folder, () => this.#keep(), VENDORS_NAME);
    const changed = () => this.#file?.changed();
    const toolsOf = (name: string): VendorTools => {
      return { clock: this.clock, resolve, changed, kept: kept?.vendors[name] };
    };
    this.bloomreach = new Bloomreach(toolsOf("bloomreach"));
    this.pretix = new Pretix(toolsOf("pretix"));
    addPretixControl(this.pretix.control, this.pretix);
    this.shopify = new Shopify(toolsOf("shopify"));
    this.siteverify = new Siteverify(toolsOf("siteverify"));
    this.tito = new Tito(toolsOf("tito"));
    this.square = new Square(toolsOf("square"));
    this.sfmc = new Sfmc(toolsOf("sfmc"));
    this.loyaltylion = new Loyaltylion(toolsOf("loyaltylion"));
    this.customerio = new Customerio(toolsOf("customerio"));
    this.klaviyo = new Flows(toolsOf("klaviyo"), KLAVIYO);
    this.scenarios = new Scenarios(toolsOf("scenarios"), this.bloomreach);
    this.braze = new Journeys(toolsOf("braze"), BRAZE);
    this.brevo = new Journeys(toolsOf("brevo"), BREVO);
    this.hubspot = new Journeys(toolsOf("hubspot"), HUBSPOT);
  }

  get all(): readonly Vendor[] {
    return [
      this.bloomreach,
      this.braze,
      this.brevo,
      this.customerio,
      this.hubspot,
      this.klaviyo,
      this.loyaltylion,
      this.pretix,
      this.scenarios,
      this.sfmc,
      this.shopify,
      this.siteverify,
      this.square,
      this.tito,
    ];
  }

  /** Lets time pass, and waits until all is done that falls due. */
  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Resolves when no delivery is under way that is due. */
  idle(): Promise<void> {
    return this.clock.idle();
  }

  async reset(): Promise<void> {
    for (const vendor of this.all) await vendor.reset();
    this.#file?.changed();
  }

  async close(): Promise<void> {
    this.clock.stop();
    await Promise.all(this.all.map((vendor) => vendor.close()));
    await this.#file?.flush();
  }

  #keep(): Kept {
    const entries = this.all.map((vendor) => [vendor.name, vendor.keep()] as const);
    return { version: 1, vendors: Object.fromEntries(entries) };
  }
}
