import { defineConnector } from "../kit/connector.ts";
import { titoFile } from "./tito.config.ts";
import { peopleOfTito, readTito } from "./tito.delivery.ts";
import { planTito } from "./tito.plan.ts";
import { verifyTito } from "./tito.signature.ts";

export const tito = defineConnector({
  file: titoFile,
  configFile: new URL("./tito.config.ts", import.meta.url),
  kind: "ticketing",
  title: "Tito",
  about:
    "Tickets become passes that follow them: changed, given to somebody else, voided, checked in.",
  secrets: {
    securityToken: {
      key: "TITO-SECURITYTOKEN",
      isRequired: true,
      about:
        "The security token by which Tito signs what it sends. Each event has its own: several are written as `event:token`, with blanks between them.",
      overlapHours: 24,
    },
  },
  example: {
    events: ["regatta"],
    passType: "ticket",
    fields: { holder: "name", barcode: "slug" },
    checkedInAs: "checkedInAt",
    securityToken: "regatta:tito_5f0c…",
  },
  inbound: {
    verify: (request, { secrets }) => verifyTito(request, secrets.securityToken),
    read: readTito,
    people: peopleOfTito,
    // What Tito does about refusals is not published, so nothing that is signed is refused.
    ack: { stored: 200, duplicate: 200, ignored: 200, unreadable: 200, badSignature: 401 },
    plan: planTito,
  },
});
