import type { Text } from "../words/define.ts";

/** The navigation, from top to bottom. A group without pages is not shown. */
export const GROUPS = {
  overview: undefined,
  passes: { en: "Passes", fr: "Passes" },
  design: { en: "Templates", fr: "Modèles" },
  doors: { en: "Scanning", fr: "Contrôle" },
  data: { en: "Data", fr: "Données" },
  connections: { en: "Connections", fr: "Connexions" },
  security: { en: "Settings · Security", fr: "Réglages · Sécurité" },
  settings: { en: "Settings", fr: "Réglages" },
  platform: { en: "Installation", fr: "Installation" },
} as const satisfies Record<string, Text | undefined>;

export type GroupName = keyof typeof GROUPS;
export const GROUP_NAMES = Object.keys(GROUPS) as GroupName[];
