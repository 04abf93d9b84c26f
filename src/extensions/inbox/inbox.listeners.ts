import type { TenantTx } from "#kernel/db/transaction.ts";
import { listen } from "#kernel/events/listen.ts";
import { customerDeleted, erasedCustomers, type Identifiers } from "#src/customers/public.ts";
import { erasedPasses, passDeleted } from "#src/passes/public.ts";
import { subjectsOf } from "../actions/action.service.ts";
import { markGone } from "../actions/action-subject.repository.ts";
import { deleteTicketsOf } from "../actions/action-ticket.repository.ts";
import { connectors } from "../connectors.ts";
import { passTerm } from "../kit/connector.ts";
import {
  awaitTerms,
  deleteTraces,
  eraseByTerms,
  eraseWaiting,
} from "./inbox-erasure.repository.ts";

export const eraseInboxOfPasses = listen(passDeleted, (tx, events) => {
  const ids = events.map(({ data }) => data.id);
  deleteTicketsOf(tx, ids);
  eraseInbox(tx, ids, erasedPasses(tx), ids.map(passTerm));
  return Promise.resolve();
});

/** A customer may be erased without their passes, and has identifiers of their own. */
export const eraseInboxOfCustomers = listen(customerDeleted, (tx, events) => {
  const ids = events.map(({ data }) => data.customerId);
  eraseInbox(tx, ids, erasedCustomers(tx));
  return Promise.resolve();
});

/**
 * What vendors sent about an erased person loses its content. What they sent before the erasure and has
 * not been done is passed over, so that it does not bring them back.
 */
function eraseInbox(
  tx: TenantTx,
  ids: readonly string[],
  erased: readonly { readonly identifiers: Identifiers }[],
  passes: readonly string[] = [],
): void {
  const gone = erased.flatMap(({ identifiers }) =>
    connectors.flatMap(({ name }) =>
      subjectsOf(name, identifiers).map((subject) => ({ connector: name, subject })),
    ),
  );
  const others = [...erased.flatMap(({ identifiers }) => wholeNames(identifiers)), ...passes];
  const waiting = [
    ...gone,
    ...OF_ANY_SYSTEM.flatMap((connector) => others.map((subject) => ({ connector, subject }))),
  ];
  const terms = [...ids, ...waiting.map(termOf)];
  // Deliveries about something else, such as an order, have their traces when they end.
  if (gone.length > 0) awaitTerms(tx, gone.map(termOf));
  eraseWaiting(tx, waiting);
  eraseByTerms(tx, terms);
  deleteTraces(tx, terms);
  // Whom other systems know is not remembered here: their identifiers would outlive the erasure.
  if (gone.length > 0) markGone(tx, gone);
}

const termOf = ({ connector, subject }: { connector: string; subject: string }): string =>
  `${connector}.${subject}`;

const OF_ANY_SYSTEM = connectors.flatMap(({ name, inbound }) =>
  inbound?.ofAnySystem === true ? name : [],
);

const wholeNames = (identifiers: Identifiers): string[] =>
  Object.entries(identifiers).map(([name, value]) => `${name}=${value}`);
