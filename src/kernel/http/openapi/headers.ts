import type { Components } from "./components.ts";

type Header = { readonly description: string; readonly example: string | number };

const HEADERS: Readonly<Record<string, Header>> = {
  ETag: {
    description: "The version of the resource, for `If-Match` and `If-None-Match`.",
    example: '"7"',
  },
  "Idempotency-Replayed": {
    description: "`true` when this is the stored answer to an earlier request with the same key.",
    example: "true",
  },
  Link: {
    description:
      'The next page: `<…>; rel="next"`. Missing on the last page, except in the feed of events, which goes on.',
    example: '</api/cafe-lune/items?cursor=eyJ2Ijox&pageSize=20>; rel="next"',
  },
  Location: {
    description: "Address of the new resource; with 202, of what tells how far it is.",
    example: "/api/cafe-lune/items/item-1",
  },
  RateLimit: {
    description: "Requests left in this window (`r`) and seconds until it ends (`t`).",
    example: '"default";r=599;t=60',
  },
  "RateLimit-Policy": {
    description: "Requests allowed (`q`) in a window of `w` seconds.",
    example: '"default";q=600;w=60',
  },
  "Retry-After": { description: "Seconds to wait before trying again.", example: 2 },
  "X-Request-Id": {
    description: "The id sent, or one made for this request. Logs and audit entries carry it.",
    example: "req_0VfQm3Ks00aB3dE5fG7hJ9",
  },
  "x-pagination-total": {
    description:
      "How many entries fit the filter, on all pages together. A page asked for by `cursor` has none.",
    example: 137,
  },
  "x-pagination-total-is": {
    description:
      "`exact`, or `estimate`: more than 10,000 entries are not counted, and the total is then 10,001, or for passes a number near the right one.",
    example: "exact",
  },
};

export function addHeaders(components: Components): void {
  for (const [name, { description, example }] of Object.entries(HEADERS)) {
    const type = typeof example === "number" ? "integer" : "string";
    components.add("headers", name, { description, schema: { type }, example });
  }
}
