import Type from "typebox";
import { answer, defineRoute, type Route } from "#kernel/http/route.ts";
import { GateKeys, GateListPage, GateListQuery, PAGE_EXAMPLE } from "./gate.schema.ts";
import { getGateList } from "./gate.service.ts";
import { listPublicKeys } from "./keys/key.service.ts";

const gateListGet = defineRoute({
  op: "gate-list.get",
  method: "GET",
  url: "/api/:tenantId/gate-list",
  scope: "PassScan.Scan",
  summary: "Read the list for scanning without a network",
  description:
    "The codes of all passes with the decision about each, by pages: follow `next` until it is null. Codes are salted hashes, so that a lost tablet gives away none. Each page is signed and expires: 12 hours after the list began, or as `gates.listHours` of `tenant.yml` says. A page that did not change is 304 to whoever sends its `ETag`. docs/devices.md tells how to verify and use it. Send the scans later to `scans/batch`, which reports where the decision was wrong.",
  query: GateListQuery,
  reply: GateListPage,
  replyHeaders: ["ETag"],
  example: { reply: PAGE_EXAMPLE },
  async handle(context, { query }) {
    const { page, version } = await getGateList(context, query);
    return answer(page, { version });
  },
});

const gateKeyList = defineRoute({
  op: "gate-key.list",
  method: "GET",
  url: "/.well-known/billfold/:tenantId/gate-keys",
  scope: "public",
  summary: "Read the public keys of gate lists",
  description:
    "A JSON Web Key Set. The key that signs changes every month; the one before stays here for as long as a list that it signed can be valid. Empty for a tenant without lists.",
  params: Type.Object({ tenantId: Type.String() }),
  reply: GateKeys,
  example: {
    reply: {
      keys: [
        {
          kty: "EC",
          crv: "P-256",
          x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
          y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
          kid: "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U",
          alg: "ES256",
          use: "sig",
        },
      ],
    },
  },
  async handle(context) {
    return { keys: await listPublicKeys(context) };
  },
});

export const gateRoutes: readonly Route[] = [gateListGet, gateKeyList];
