import type { ControlTable } from "../frame/control.ts";
import {
  CheckInCreate,
  ContactChange,
  DateChange,
  DateCreate,
  EventChange,
  EventCreate,
  OrderCreate,
  OrganizerCreate,
  PositionChange,
  WebhookControl,
} from "./pretix.schema.ts";
import type { Pretix } from "./pretix.service.ts";

type Params = Readonly<Record<string, string>>;

/** The addresses by which one sells, changes and cancels tickets. */
export function addPretixControl(control: ControlTable, pretix: Pretix): void {
  const codeOf = ({ code = "" }: Params) => code;
  const positionOf = ({ position }: Params) => Number(position);
  control.get("", () => ({
    url: pretix.url,
    organizers: pretix.organizers.all.map(({ tokens: _, ...organizer }) => organizer),
    events: pretix.events.all,
    subevents: pretix.dates.all,
    webhooks: pretix.webhooks.all.map((one) => ({ ...one, enabled: pretix.isEnabled(one) })),
    orders: pretix.orders.all.slice(-100),
  }));
  control.post("/organizers", OrganizerCreate, (body) => pretix.createOrganizer(body));
  control.post("/events", EventCreate, (body) => pretix.createEvent(body));
  control.patch("/events/:organizer/:slug", EventChange, (body, { params }) =>
    pretix.changeEvent(params.organizer ?? "", params.slug ?? "", body),
  );
  control.post("/subevents", DateCreate, (body) => pretix.dates.create(body));
  control.patch("/subevents/:id", DateChange, (body, { params }) =>
    pretix.dates.change(Number(params.id), body),
  );
  control.post("/webhooks", WebhookControl, (body) => pretix.createWebhook(body));
  control.post("/orders", OrderCreate, (body) => pretix.placeOrder(body));
  control.get("/orders/:code", ({ params }) => pretix.orders.get(codeOf(params)));
  control.delete("/orders/:code", ({ params }) => pretix.deleteOrder(codeOf(params)));
  const deeds = {
    pay: (code: string) => pretix.payOrder(code),
    approve: (code: string) => pretix.approveOrder(code),
    deny: (code: string) => pretix.denyOrder(code),
    cancel: (code: string) => pretix.cancelOrder(code),
    expire: (code: string) => pretix.expireOrder(code),
    reactivate: (code: string) => pretix.reactivateOrder(code),
  };
  for (const [name, deed] of Object.entries(deeds)) {
    control.act(`/orders/:code/${name}`, ({ params }) => deed(codeOf(params)));
  }
  control.post("/orders/:code/contact", ContactChange, ({ email }, { params }) =>
    pretix.changeContact(codeOf(params), email),
  );
  const position = "/orders/:code/positions/:position";
  control.patch(position, PositionChange, (body, { params }) =>
    pretix.changePosition(codeOf(params), positionOf(params), body),
  );
  control.delete(position, ({ params }) =>
    pretix.cancelPosition(codeOf(params), positionOf(params)),
  );
  control.act(`${position}/secret`, ({ params }) =>
    pretix.changeSecret(codeOf(params), positionOf(params)),
  );
  control.post(`${position}/checkins`, CheckInCreate, (body, { params }) =>
    pretix.checkIn(codeOf(params), positionOf(params), body),
  );
  control.delete(`${position}/checkins`, ({ params }) =>
    pretix.revertCheckIn(codeOf(params), positionOf(params)),
  );
}
