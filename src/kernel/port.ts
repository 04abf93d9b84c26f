declare const offered: unique symbol;

/**
 * An extension point of a module, for modules above, which it cannot import. Ports are compared by
 * identity; the type says what can be offered.
 */
export type Port<in out Offer> = {
  /** For messages to people only. */
  readonly name: string;
  /** Never set: it ties the type of offers to the type of the port. */
  readonly [offered]?: (offer: Offer) => Offer;
};

/** One offer to one port. */
export type Provision<Offer = unknown> = { readonly port: object; readonly offer: Offer };

/** The offers of all modules of a process, fixed at its start. */
export type Ports = {
  /** All offers, in the order of the modules; empty if there are none. */
  all<Offer>(port: Port<Offer>): readonly Offer[];
  /** For a port that must have exactly one offer. */
  one<Offer>(port: Port<Offer>): Offer;
};

export function definePort<Offer>(name: string): Port<Offer> {
  return { name };
}

/** Makes an entry of a module's `provides`. */
export function provide<Offer>(port: Port<Offer>, offer: NoInfer<Offer>): Provision {
  return { port, offer };
}

export function createPorts(provisions: readonly Provision[]): Ports {
  const byPort = Map.groupBy(provisions, ({ port }) => port);
  const all = <Offer>(port: Port<Offer>): readonly Offer[] => {
    // The type guard is correct, because `provide` accepts only offers that fit the port.
    const isForPort = (provision: Provision): provision is Provision<Offer> =>
      provision.port === port;
    return (byPort.get(port) ?? []).filter(isForPort).map(({ offer }) => offer);
  };
  return {
    all,
    one(port) {
      const [offer, ...others] = all(port);
      if (offer !== undefined && others.length === 0) return offer;
      const count = byPort.get(port)?.length ?? 0;
      throw new Error(`The port '${port.name}' needs one offer and has ${count}.`);
    },
  };
}
