export { createSimulator, type Simulator, simulators } from "./simulator.ts";
