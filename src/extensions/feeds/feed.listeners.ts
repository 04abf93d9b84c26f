import { listen, listenToErasures } from "#kernel/events/listen.ts";
import { customerDeleted, erasedCustomers } from "#src/customers/public.ts";
import { erasedPasses, passDeleted } from "#src/passes/public.ts";
import { configurationPublished, findChangedFile } from "#src/tenants/public.ts";
import { connectors } from "../connectors.ts";
import { eraseReasons } from "../refusals/refusal.repository.ts";
import { requestErasures } from "./erasure.service.ts";
import { deleteFeed, insertFeed } from "./feed.repository.ts";

/** A feed begins with the file of its connector, and ends with it. */
export const followPublication = listen(configurationPublished, async (tx, events) => {
  for (const { data } of events) {
    for (const { name, file, outbound } of connectors) {
      if (outbound === undefined) continue;
      const changed = await findChangedFile(tx, data.version, file.path);
      if (changed === undefined) continue;
      if (changed.content === null) deleteFeed(tx, name);
      else insertFeed(tx, name);
    }
  }
});

/**
 * Whoever is erased here is to be erased at the vendor, too. The bodies of their events are gone with
 * this transaction, so who they were there is written down until the vendor was told.
 */
export const eraseAtVendors = listen([passDeleted, customerDeleted], async (tx) => {
  const erased = [...erasedPasses(tx), ...erasedCustomers(tx)];
  for (const connector of connectors) {
    const { personOf } = connector.outbound ?? {};
    const people = erased.flatMap(({ identifiers }) => {
      const person = personOf?.(identifiers);
      return person === undefined ? [] : [person];
    });
    if (people.length > 0) requestErasures(tx, connector, people);
  }
});

const withFeeds = connectors.flatMap(({ name, outbound }) =>
  outbound === undefined ? [] : [name],
);

/** What a vendor said of refused events may name whom they are about. */
export const eraseRefusals = listenToErasures((tx, subjects) => {
  eraseReasons(tx, withFeeds, subjects);
  return Promise.resolve();
});
