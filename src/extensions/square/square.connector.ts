import { defineConnector } from "../kit/connector.ts";
import { verifyHmac } from "../kit/signature.ts";
import { squareFile } from "./square.config.ts";
import { peopleOfSquare, readSquare } from "./square.delivery.ts";
import { planSquare } from "./square.plan.ts";

export const square = defineConnector({
  file: squareFile,
  configFile: new URL("./square.config.ts", import.meta.url),
  kind: "point-of-sale",
  title: "Square",
  about:
    "Customers of a seller get a pass, and completed payments give value to it. Refunds take it back, and customers who are deleted at Square are erased.",
  secrets: {
    signatureKey: {
      key: "SQUARE-SIGNATUREKEY",
      isRequired: true,
      about: "The signature key of the webhook subscription at Square.",
      overlapHours: 24,
    },
  },
  example: {
    merchantId: "MLEFBHHSJGVHD",
    passType: "loyalty",
    fields: { firstName: "given_name" },
    earn: { privilege: "points", perUnit: 1 },
    signatureKey: "Ibxx_5AKakO-3qeNVR61Dw",
  },
  inbound: {
    // An older header with SHA-1 may come as well; nobody looks at it.
    verify: ({ headers, publicUrl, rawBody }, { settings, secrets }) =>
      verifyHmac({
        signature: headers["x-square-hmacsha256-signature"],
        encoding: "base64",
        secrets: secrets.signatureKey,
        parts: [settings.notificationUrl ?? publicUrl, rawBody],
      }),
    read: readSquare,
    people: peopleOfSquare,
    // Square sends again for a day whatever is refused, so nothing that is signed is refused.
    ack: { stored: 200, duplicate: 200, ignored: 200, unreadable: 200, badSignature: 401 },
    plan: planSquare,
  },
});
