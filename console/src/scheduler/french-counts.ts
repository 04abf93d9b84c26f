import type { components } from "../../generated/schema.ts";

// Types alone, because tests load this file without a browser.
type Kind = components["schemas"]["Execution"]["kind"];

/** The same name counts passes in one kind of task and rows in another, so each kind has its own. */
export const frenchCounts: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  "expire-passes": { expired: "Passes expirés" },
  "refresh-metadata": {
    updated: "Passes mis à jour",
    unchanged: "Passes déjà à jour",
    failed: "Passes en échec",
  },
  import: {
    files: "Fichiers",
    rows: "Lignes",
    created: "Passes créés",
    updated: "Passes modifiés",
    unchanged: "Lignes sans changement",
    failed: "Lignes en échec",
    errors: "Fichiers non lus jusqu’au bout",
  },
  "sync-wallet-classes": { sent: "Classes envoyées", skipped: "Types de passes laissés de côté" },
  "check-credentials": { warnings: "Avertissements" },
  purge: {
    auditRows: "Entrées du journal d’audit",
    deliveries: "Envois aux webhooks",
    events: "Événements",
    executions: "Exécutions de tâches",
    imports: "Imports",
    inbox: "Réceptions des connecteurs",
    journeyCalls: "Appels de parcours",
    receipts: "Tickets de caisse",
    refusedEvents: "Événements refusés",
    scans: "Scans",
  },
  export: { passes: "Passes exportés" },
};

/** Undefined for what this console does not know, such as a count of a newer service. */
export function frenchCount(kind: Kind, name: string): string | undefined {
  const names: Readonly<Record<string, string>> | undefined = frenchCounts[kind];
  return names?.[name];
}
