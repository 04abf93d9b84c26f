import Type from "typebox";
import { defineEvent, type EventDefinition } from "#kernel/events/define.ts";

// Names and fields are a published contract: add, never rename or remove.
export const credentialExpiring = defineEvent({
  name: "credential.expiring",
  version: 1,
  summary: "A certificate in use expires soon: told 60, 30, 7 and 1 days before, once each.",
  payload: Type.Object({
    wallet: Type.Enum(["apple", "google"]),
    kind: Type.Enum(["certificate", "intermediate"]),
    expiresAt: Type.String({ format: "date-time" }),
    days: Type.Integer({ minimum: 0, description: "Whole days that are left." }),
    subject: Type.String(),
    fingerprint: Type.String({ description: "SHA-256 of the certificate." }),
  }),
  example: {
    wallet: "apple",
    kind: "certificate",
    expiresAt: "2027-03-03T09:30:00.000Z",
    days: 30,
    subject: "UID=pass.example.cafe-lune, CN=Pass Type ID: pass.example.cafe-lune, OU=ABCDE12345",
    fingerprint:
      "5D:0A:77:42:9B:31:0C:66:E2:8F:11:3A:57:90:C4:DE:01:7B:25:AE:63:F8:4C:92:D7:1E:B0:39:86:5F:CA:13",
  },
});

export const credentialEvents: readonly EventDefinition[] = [credentialExpiring];
