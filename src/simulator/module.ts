import { defineModule } from "#kernel/module.ts";
import { plugSimulator } from "./door/door.ts";
import { simulators } from "./simulator.ts";

/**
 * Apple's and Google's side, and phones to try passes on, for an installation in staging. It needs
 * no key, so whoever reaches it sees what its phones hold: the setting `SIMULATOR` leaves it out
 * where others can reach the service. It reads nothing of the product but by links of passes, and
 * calls nothing but the product. In production none of its addresses exists.
 */
export const simulatorModule = defineModule({
  name: "simulator",
  async start({ ports }) {
    return async () => {
      for (const simulator of ports.all(simulators)) await simulator.close();
    };
  },
  plug(app, { ports, environment, baseUrl }) {
    const [simulator] = ports.all(simulators);
    if (simulator === undefined || environment === "production") return;
    plugSimulator(app, { simulator, baseUrl });
  },
});
