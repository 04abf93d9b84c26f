import { defineConnector } from "../kit/connector.ts";
import { sfmcFile } from "./sfmc.config.ts";

export const sfmc = defineConnector({
  file: sfmcFile,
  configFile: new URL("./sfmc.config.ts", import.meta.url),
  kind: "marketing",
  title: "Salesforce Marketing Cloud",
  about:
    "An activity in Journey Builder that gives contacts a pass, changes it, or tells its holder something. The link to add the pass is there for the next steps of the journey.",
  secrets: {
    jwtSecret: {
      key: "SFMC-JWTSECRET",
      isRequired: true,
      about: "The JWT signing secret of the installed package, by which Journey Builder signs.",
      overlapHours: 24,
    },
  },
  example: { passType: "loyalty", name: "Wallet pass", jwtSecret: "jwt-signing-secret" },
  hasOwnAddress: true,
});
