import {
  type AgainEvent,
  deleteRefusals,
  listAgain,
  NOTHING_LEFT,
  type Refusal,
  upsertRefusals,
} from "../refusals/refusal.repository.ts";
import type { FeedStep } from "./feed.repository.ts";
import { afterProblem, type Turn } from "./feed.turn.ts";
import { noteEchoes } from "./feed-echo.service.ts";
import { commandsOf, readEvents } from "./feed-event.service.ts";

/**
 * Sends events again that were set aside, because somebody asked for it. Returns how the turn ends if the
 * vendor cannot be told now; they wait for the next turn then.
 */
export async function tellAgain(turn: Turn): Promise<Partial<FeedStep> | undefined> {
  const { context, connector, outbound, connection, feed, lease } = turn;
  const wanted = await listAgain(context, connector.name, outbound.batchMax);
  if (wanted.length === 0) return undefined;
  const { events } = await readEvents(context, feed.startedAt, wanted.filter(isKept));
  const commands = commandsOf(outbound, events);
  const sent =
    commands.length === 0
      ? { refused: new Map<string, string>(), echoes: [] }
      : await outbound.send(context, connection, commands, lease.signal);
  if ("problem" in sent) return afterProblem(turn, sent);
  const reasons = new Map(sent.refused);
  const told = new Set(commands.map(({ eventId }) => eventId));
  for (const { id } of wanted) if (!told.has(id)) reasons.set(id, NOTHING_LEFT);
  const refused = wanted.flatMap(({ id, name }): Refusal[] => {
    const reason = reasons.get(id);
    return reason === undefined ? [] : [{ eventId: id, eventName: name, reason }];
  });
  const taken = wanted.map(({ id }) => id).filter((id) => !reasons.has(id));
  await context.transaction(async (tx) => {
    if (taken.length > 0) deleteRefusals(tx, connector.name, taken);
    if (refused.length > 0) upsertRefusals(tx, connector.name, refused);
    await noteEchoes(tx, connector.name, sent.echoes ?? []);
  });
  return undefined;
}

type KeptEvent = AgainEvent & { readonly occurredAt: Date; readonly dataText: string };

function isKept(event: AgainEvent): event is KeptEvent {
  return event.occurredAt !== null && event.dataText !== null;
}
