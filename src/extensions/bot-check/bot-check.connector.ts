import { defineConnector } from "../kit/connector.ts";
import { checkBotCheck } from "./bot-check.client.ts";
import { botCheckFile } from "./bot-check.config.ts";
import { verifyUrlOf } from "./bot-check.vendors.ts";

export const botCheck = defineConnector({
  file: botCheckFile,
  configFile: new URL("./bot-check.config.ts", import.meta.url),
  kind: "bot-check",
  title: "Bot check",
  about:
    "Turnstile, hCaptcha or reCAPTCHA looks at visitors of enrolment forms before anything of them is kept. Whoever it refuses gets no pass.",
  secrets: {
    secret: {
      key: "BOT-CHECK-SECRET",
      isRequired: true,
      about: "The secret key that belongs to the site key.",
    },
  },
  example: {
    provider: "turnstile",
    siteKey: "0x4AAAAAAADnPIDROrmt1Wwj",
    hostnames: ["passes.cafe-lune.example"],
    action: "enrol",
    secret: "0x4AAAAAAADnPI…",
  },
  origin: (settings) => new URL(verifyUrlOf(settings)).origin,
  check: checkBotCheck,
});
