export { connectorOfIdentifier } from "./connector.names.ts";
