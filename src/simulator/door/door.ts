import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Simulator } from "../simulator.ts";

const BODY_SIZE_BYTES_MAX = 32 * 1024;
/** A delivery of a vendor may be as large as connectors take it. */
const DELIVERY_BYTES_MAX = 1_200_000;
const METHODS = ["GET", "POST", "PUT", "DELETE"];

type Options = { readonly simulator: Simulator; readonly baseUrl: string };

/** Adds the addresses of the simulator to the product's own port; what they do is loaded later. */
export function plugSimulator(app: FastifyInstance, { simulator, baseUrl }: Options): void {
  app.addHook("onListen", (done) => {
    simulator.listensAt(localAddress(app.server.address() as AddressInfo));
    void simulator.resume().catch(() => undefined);
    done();
  });
  let loading: ReturnType<typeof load> | undefined;
  const loaded = () => {
    loading ??= load(baseUrl);
    return loading;
  };
  app.addHook("preClose", async () => {
    (await loading)?.streams.close();
  });
  const { world } = simulator;
  app.route({
    method: METHODS,
    url: "/simulator/api/*",
    bodyLimit: BODY_SIZE_BYTES_MAX,
    handler: async (request, reply) => {
      const { api, requireOwnPage } = await loaded();
      requireOwnPage(request, baseUrl);
      return await api(await world(), request, reply);
    },
  });
  for (const url of ["/simulator/vendors", "/simulator/vendors/*"]) {
    app.route({
      method: [...METHODS, "PATCH"],
      url,
      bodyLimit: DELIVERY_BYTES_MAX,
      handler: async (request, reply) => {
        const { vendorsApi, requireOwnPage } = await loaded();
        requireOwnPage(request, baseUrl);
        return await vendorsApi(await simulator.vendors(), request, reply);
      },
    });
  }
  app.get("/simulator/api/changes", async (request, reply) => {
    const { streams, requireOwnPage } = await loaded();
    requireOwnPage(request, baseUrl);
    await streams.run(await world(), request, reply);
  });
  app.get("/simulator", async (_request, reply) => (await loaded()).pages.showPhones(reply));
  app.get("/simulator/", (_request, reply) => reply.redirect("../simulator", 308));
  app.get("/simulator/assets/:hash/:name", async (request, reply) =>
    (await loaded()).pages.sendAsset(request, reply),
  );
  // The token is longer than a parameter may be.
  app.get<Rest>("/simulator/gp/v/save/*", async (request, reply) => {
    const { pages } = await loaded();
    return await pages.showSave(await world(), request.params["*"], reply);
  });
  app.post<Rest>(
    "/simulator/gp/v/save/*",
    { bodyLimit: BODY_SIZE_BYTES_MAX },
    async (request, reply) => {
      const { pages, requireOwnPage } = await loaded();
      requireOwnPage(request, baseUrl);
      return await pages.takeSave(await world(), request.params["*"], request, reply);
    },
  );
}

type Rest = { Params: { "*": string } };

async function load(baseUrl: string) {
  const [
    { createApi },
    { serveVendors },
    { requireOwnPage },
    { ChangeStreams },
    { SimulatorPages },
  ] = await Promise.all([
    import("./api.ts"),
    import("./vendors.api.ts"),
    import("./visit.ts"),
    import("./changes.ts"),
    import("./pages.ts"),
  ]);
  return {
    api: createApi(),
    vendorsApi: serveVendors,
    requireOwnPage,
    streams: new ChangeStreams(),
    pages: new SimulatorPages(baseUrl),
  };
}

/** Where this process reaches itself: a server that listens everywhere does so on loopback, too. */
function localAddress({ address, port, family }: AddressInfo): string {
  if (address === "0.0.0.0" || address === "::") return `http://127.0.0.1:${port}`;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
