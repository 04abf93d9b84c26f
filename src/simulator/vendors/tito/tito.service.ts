import { createHmac, randomBytes } from "node:crypto";
import Type, { type Static } from "typebox";
import { Emitter } from "../deliveries/emitter.service.ts";
import { vendorRefused } from "../frame/vendor.errors.ts";
import type { VendorTools } from "../frame/vendor.ts";

const closed = { additionalProperties: false } as const;
const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });

export const EventCreate = Type.Object(
  { slug: text(), securityToken: text(), url: Type.Optional(text(2_000)) },
  closed,
);
export type EventCreate = Static<typeof EventCreate>;
const holder = {
  first_name: Type.Optional(text()),
  last_name: Type.Optional(text()),
  email: Type.Optional(text(320)),
};
export const TicketCreate = Type.Object(
  {
    event: Type.Optional(text()),
    release: Type.Optional(text()),
    ...holder,
    /** Whether all that is asked of the holder is known. */
    complete: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type TicketCreate = Static<typeof TicketCreate>;
export const TicketUpdate = Type.Object(holder, closed);
export type TicketUpdate = Static<typeof TicketUpdate>;

type Ticket = {
  readonly id: number;
  readonly event: string;
  readonly slug: string;
  readonly reference: string;
  readonly release: string;
  readonly state: "incomplete" | "complete" | "void";
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly checkin: CheckIn | null;
};

type CheckIn = {
  readonly id: number;
  readonly created_at: string;
  readonly deleted_at?: string;
};

/** In base64, over the bytes that are sent. */
export function signTito(token: string, body: string): string {
  return createHmac("sha256", token).update(body, "utf8").digest("base64");
}

/** Tito publishes neither a deadline nor retries: these are guesses in the manner of others. */
const RULES = { deadlineMs: 10_000, retryDelaysSeconds: [60, 300, 900, 3_600, 14_400] };

/** Tito: tickets of events, each event with a secret of its own. */
export class Tito extends Emitter<Ticket> {
  constructor(tools: VendorTools) {
    super(tools, {
      name: "tito",
      rules: RULES,
      headers: ({ topic }) => ({ "User-Agent": "Tito Webhooks", "X-Webhook-Name": topic }),
      sign: (token, { body }) => ({ "Tito-Signature": signTito(token, body) }),
    });
    const { control } = this;
    control.post("/events", EventCreate, (body) => this.createEvent(body));
    control.post("/tickets", TicketCreate, (body) => this.createTicket(body));
    control.patch("/tickets/:slug", TicketUpdate, (body, { params }) =>
      this.updateTicket(params.slug ?? "", body),
    );
    control.post("/tickets/:slug/reassign", TicketUpdate, (body, { params }) =>
      this.updateTicket(params.slug ?? "", body, "ticket.reassigned"),
    );
    control.act("/tickets/:slug/complete", ({ params }) => this.completeTicket(params.slug ?? ""));
    control.act("/tickets/:slug/void", ({ params }) => this.voidTicket(params.slug ?? ""));
    control.act("/tickets/:slug/unvoid", ({ params }) => this.unvoidTicket(params.slug ?? ""));
    control.act("/tickets/:slug/checkin", ({ params }) => this.checkIn(params.slug ?? ""));
    control.delete("/tickets/:slug/checkin", ({ params }) => {
      this.undoCheckIn(params.slug ?? "");
    });
  }

  createEvent({ slug, securityToken, url }: EventCreate): { readonly id: string } {
    const { secret: _, ...event } = this.openAccount(slug, securityToken, url);
    return event;
  }

  createTicket({ event, release = "Early Bird", complete = true, ...given }: TicketCreate): Ticket {
    const id = this.newId();
    const ticket: Ticket = {
      id,
      event: this.accounts.pick(event).id,
      slug: `ti_${randomBytes(12).toString("base64url")}`,
      reference: `${id.toString(36).toUpperCase()}-1`,
      release,
      state: "incomplete",
      first_name: given.first_name ?? "",
      last_name: given.last_name ?? "",
      email: given.email ?? "",
      checkin: null,
    };
    this.#put(ticket, "ticket.created");
    return complete ? this.completeTicket(ticket.slug) : ticket;
  }

  completeTicket(slug: string): Ticket {
    return this.#move(slug, "incomplete", "complete", "ticket.completed");
  }

  updateTicket(slug: string, values: TicketUpdate, topic = "ticket.updated"): Ticket {
    return this.#put({ ...this.things.get(slug), ...values }, topic);
  }

  voidTicket(slug: string): Ticket {
    return this.#move(slug, "complete", "void", "ticket.voided");
  }

  unvoidTicket(slug: string): Ticket {
    return this.#move(slug, "void", "complete", "ticket.unvoided");
  }

  checkIn(slug: string): Ticket {
    const ticket = this.things.get(slug);
    if (ticket.state === "void") throw vendorRefused({ reason: "The ticket is void." });
    if (ticket.checkin !== null) throw vendorRefused({ reason: "It is checked in already." });
    const checkin = { id: this.newId(), created_at: this.stamp() };
    this.#tellCheckIn(ticket, "created", checkin);
    return this.things.put(slug, { ...ticket, checkin });
  }

  undoCheckIn(slug: string): Ticket {
    const ticket = this.things.get(slug);
    const { checkin } = ticket;
    if (checkin === null) throw vendorRefused({ reason: "The ticket is not checked in." });
    this.#tellCheckIn(ticket, "deleted", { ...checkin, deleted_at: this.stamp() });
    return this.things.put(slug, { ...ticket, checkin: null });
  }

  #tellCheckIn(ticket: Ticket, kind: string, checkin: CheckIn): void {
    const { id: ticket_id, slug: ticket_slug, reference: ticket_reference } = ticket;
    const about = { ticket_id, ticket_slug, ticket_reference, event: eventOf(ticket) };
    const body = { _type: "checkin", ...checkin, ...about };
    this.deliver(ticket.event, `checkin.${kind}`, JSON.stringify(body));
    this.tools.changed();
  }

  #move(slug: string, from: Ticket["state"], state: Ticket["state"], topic: string): Ticket {
    const ticket = this.things.get(slug);
    // Also a ticket that is not complete yet can be voided.
    const isAble = ticket.state === from || (state === "void" && ticket.state !== "void");
    if (!isAble) throw vendorRefused({ reason: `The ticket is ${ticket.state}.` });
    return this.#put({ ...ticket, state }, topic);
  }

  #put(ticket: Ticket, topic: string): Ticket {
    this.things.put(ticket.slug, ticket);
    const body = { ...present(ticket), updated_at: this.stamp() };
    this.deliver(ticket.event, topic, JSON.stringify(body));
    this.tools.changed();
    return ticket;
  }
}

const eventOf = ({ event }: Ticket) => ({ _type: "event", slug: event, title: event });

function present(ticket: Ticket): object {
  const { id, slug, reference, first_name, last_name, email } = ticket;
  return {
    _type: "ticket",
    id,
    slug,
    reference,
    first_name,
    last_name,
    email,
    name: `${first_name} ${last_name}`.trim(),
    state_name: ticket.state,
    release_title: ticket.release,
    release_slug: ticket.release.toLowerCase().replaceAll(" ", "-"),
    url: `https://ti.to/tickets/${slug}`,
    answers: [],
    responses: {},
    event: eventOf(ticket),
  };
}
