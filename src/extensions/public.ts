export { type BotCheck, botCheckOf } from "./bot-check/bot-check.service.ts";

import { connectors } from "./connectors.ts";

/** Every connector has a chapter in the API reference. */
export const connectorChapters = connectors.map(({ name, title, about }) => ({
  name,
  title,
  description: about,
}));
