import { type MetadataSource, SourceProblem } from "#src/passes/public.ts";
import type { Connector } from "../kit/connector.ts";
import { findConnection, missingSecret } from "./connection.service.ts";

/** A connector as a source of metadata; for tenants without it, the source knows nothing. */
export function sourceOf(connector: Connector): MetadataSource {
  return {
    name: connector.name,
    async fetch(context, pass, signal) {
      const connection = await findConnection(context, connector);
      if (connection === undefined) return undefined;
      const member = missingSecret(connector, connection);
      if (member !== undefined) {
        throw new SourceProblem(`cannot be asked, because there is no ${member} for its address`);
      }
      return await connector.metadata?.(context, pass, connection, signal);
    },
  };
}
