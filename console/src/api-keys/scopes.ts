import type { components } from "../../generated/schema.ts";
import type { Text } from "../words/define.ts";

export type ScopeName = components["schemas"]["ApiKeyCreate"]["scopes"][number];

export type ScopeGroup = { readonly title: Text; readonly scopes: readonly ScopeWords[] };

export type ScopeWords = {
  readonly name: ScopeName;
  /** The name of the same right in the tokens of people. */
  readonly bearer: string;
  readonly meaning: Text;
};

const scope = (name: ScopeName, bearer: string, en: string, fr: string): ScopeWords => ({
  name,
  bearer: `tenant.${bearer}`,
  meaning: { en, fr },
});

/** What a key may do, in plain words and in groups. A test holds this list to that of the API. */
export const SCOPE_GROUPS: readonly ScopeGroup[] = [
  {
    title: { en: "Passes", fr: "Passes" },
    scopes: [
      scope(
        "Pass.Read",
        "pass:read",
        "See passes, their privileges and their history",
        "Voir les passes, leurs avantages et leur historique",
      ),
      scope(
        "Pass.Write",
        "pass:write",
        "Issue, change and erase passes, and move their values",
        "Émettre, modifier et effacer des passes, et mouvementer leurs valeurs",
      ),
    ],
  },
  {
    title: { en: "Scanning", fr: "Contrôle" },
    scopes: [
      scope("PassScan.Read", "scan:read", "See what was scanned", "Voir ce qui a été scanné"),
      scope(
        "PassScan.Scan",
        "scan:write",
        "Scan passes and redeem privileges",
        "Scanner des passes et utiliser leurs avantages",
      ),
      scope(
        "Device.Read",
        "device:read",
        "See the scanning devices",
        "Voir les appareils de contrôle",
      ),
      scope(
        "Device.Write",
        "device:write",
        "Register, connect and remove scanning devices",
        "Enregistrer, connecter et retirer des appareils de contrôle",
      ),
    ],
  },
  {
    title: { en: "Customers and receipts", fr: "Clients et reçus" },
    scopes: [
      scope("Customer.Read", "customer:read", "See customers", "Voir les clients"),
      scope(
        "Customer.Write",
        "customer:write",
        "Create, change and erase customers",
        "Créer, modifier et effacer des clients",
      ),
      scope(
        "Enrolment.Read",
        "enrolment:read",
        "See enrolment links and how often they are used",
        "Voir les liens d’inscription et leur utilisation",
      ),
      scope(
        "Enrolment.Write",
        "enrolment:write",
        "Create, change and delete enrolment links",
        "Créer, modifier et supprimer des liens d’inscription",
      ),
      scope(
        "Receipt.Read",
        "receipt:read",
        "See receipts and what was bought",
        "Voir les reçus et les achats",
      ),
      scope(
        "Receipt.Write",
        "receipt:write",
        "Record purchases and refunds, and erase receipts",
        "Enregistrer achats et remboursements, et effacer des reçus",
      ),
    ],
  },
  {
    title: { en: "Automation", fr: "Automatisation" },
    scopes: [
      scope(
        "Webhook.Read",
        "webhook:read",
        "See webhooks, their deliveries and all events",
        "Voir les webhooks, leurs envois et tous les événements",
      ),
      scope(
        "Webhook.Write",
        "webhook:write",
        "Create, change, test and delete webhooks",
        "Créer, modifier, tester et supprimer des webhooks",
      ),
      scope(
        "Scheduler.History",
        "scheduler:read",
        "See scheduled tasks and how they went",
        "Voir les tâches planifiées et leur déroulement",
      ),
      scope(
        "Scheduler.Run",
        "scheduler:write",
        "Run a scheduled task now",
        "Lancer une tâche planifiée maintenant",
      ),
      scope(
        "Sftp.Read",
        "sftp:read",
        "See the file drop and the logs of imports",
        "Voir le dépôt de fichiers et les journaux d’import",
      ),
    ],
  },
  {
    title: { en: "Connectors", fr: "Connecteurs" },
    scopes: [
      scope(
        "Extension.Read",
        "extension:read",
        "See the settings of connectors",
        "Voir les réglages des connecteurs",
      ),
      scope(
        "Extension.Write",
        "extension:write",
        "Change the settings of connectors",
        "Modifier les réglages des connecteurs",
      ),
      scope(
        "Extension.Journey",
        "extension:journey",
        "Act on passes as a step of a customer journey",
        "Agir sur les passes comme étape d’un parcours client",
      ),
      scope(
        "BotCheck.Verify",
        "botcheck:verify",
        "Ask whether a form was sent by a person",
        "Vérifier qu’un formulaire vient d’une personne",
      ),
    ],
  },
  {
    title: { en: "Administration", fr: "Administration" },
    scopes: [
      scope(
        "TenantConfiguration.Read",
        "configuration:read",
        "Download the configuration and its history",
        "Télécharger la configuration et son historique",
      ),
      scope(
        "TenantConfiguration.Write",
        "configuration:write",
        "Publish and roll back the configuration",
        "Publier la configuration et revenir en arrière",
      ),
      scope(
        "Secret.Read",
        "secret:read",
        "Read secrets, values included",
        "Lire les secrets, valeurs comprises",
      ),
      scope(
        "Secret.Write",
        "secret:write",
        "Store, replace and delete secrets",
        "Enregistrer, remplacer et supprimer des secrets",
      ),
      scope(
        "ApiKey.Read",
        "apikey:read",
        "See the API keys, never their values",
        "Voir les clés d’API, jamais leurs valeurs",
      ),
      scope(
        "ApiKey.Write",
        "apikey:write",
        "Create, change and revoke API keys",
        "Créer, modifier et révoquer des clés d’API",
      ),
      scope(
        "Audit.Read",
        "audit:read",
        "See who changed what, when and from where",
        "Voir qui a modifié quoi, quand et d’où",
      ),
    ],
  },
];

export const ALL_SCOPES: readonly ScopeWords[] = SCOPE_GROUPS.flatMap(({ scopes }) => scopes);

/** Usual choices, to begin with. */
export const PRESETS: readonly { readonly title: Text; readonly scopes: readonly ScopeName[] }[] = [
  {
    title: { en: "Issue and update passes", fr: "Émettre et mettre à jour des passes" },
    scopes: ["Pass.Read", "Pass.Write"],
  },
  {
    title: { en: "Scan at a till or door", fr: "Scanner en caisse ou à l’entrée" },
    scopes: ["Pass.Read", "PassScan.Scan"],
  },
  {
    title: { en: "Read for reports", fr: "Lire pour des rapports" },
    scopes: ["Pass.Read", "PassScan.Read", "Customer.Read", "Receipt.Read", "Webhook.Read"],
  },
];
