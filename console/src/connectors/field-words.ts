import type { Text } from "../words/define.ts";

type FieldWords = {
  readonly label: Text;
  /** In English, the API's own words stand below a field. */
  readonly help: string;
};

/** Names of fields in plain words. A field that is not listed is called by its name. */
export const FIELD_WORDS: Readonly<Record<string, FieldWords>> = {
  enabled: {
    label: { en: "Switched on", fr: "Activé" },
    help: "Désactivé, le connecteur ne répond plus à ses adresses, immédiatement.",
  },
  passType: {
    label: { en: "Kind of pass", fr: "Type de passe" },
    help: "Le modèle des passes que ce connecteur crée.",
  },
  fields: {
    label: { en: "Values taken over", fr: "Valeurs reprises" },
    help: "Les valeurs du passe, chacune avec le chemin de sa source dans ce que le fournisseur envoie.",
  },
  "earn/privilege": {
    label: { en: "Balance that grows", fr: "Solde qui augmente" },
    help: "Le privilège du modèle dont la valeur augmente.",
  },
  "earn/perUnit": {
    label: { en: "Per unit of the currency", fr: "Par unité monétaire" },
    help: "Ce que rapporte une unité de la devise, avec quatre décimales au plus.",
  },
  "earn/rounding": {
    label: { en: "Rounding", fr: "Arrondi" },
    help: "Ce que devient une fraction d’unité.",
  },
  receipts: {
    label: { en: "Keep receipts", fr: "Garder les reçus" },
    help: "Les commandes payées deviennent des reçus avec une page publique.",
  },
  shop: {
    label: { en: "Shop", fr: "Boutique" },
    help: "La boutique, par son adresse chez Shopify.",
  },
  merchantId: {
    label: { en: "Seller", fr: "Vendeur" },
    help: "Le vendeur, par le merchant_id des événements de Square.",
  },
  notificationUrl: {
    label: { en: "Address at the vendor", fr: "Adresse chez le fournisseur" },
    help: "L’adresse telle qu’elle est inscrite chez le fournisseur, si elle diffère de celle d’ici : il la signe avec chaque appel.",
  },
  points: {
    label: { en: "Balance for points", fr: "Solde des points" },
    help: "Le privilège du modèle dont la valeur suit les points validés du client.",
  },
  baseUrl: {
    label: { en: "Address of the API", fr: "Adresse de l’API" },
    help: "L’adresse du fournisseur, sans chemin de version.",
  },
  organizer: {
    label: { en: "Organizer", fr: "Organisateur" },
    help: "L’organisateur, par son nom court.",
  },
  events: {
    label: { en: "Only these events", fr: "Ces événements seulement" },
    help: "Seulement les billets de ces événements ; par défaut, tous.",
  },
  products: {
    label: { en: "Only these products", fr: "Ces produits seulement" },
    help: "Seulement les billets de ces produits, par leurs numéros ; par défaut, tous sauf les suppléments.",
  },
  checkedInAs: {
    label: { en: "Value for the check-in", fr: "Valeur du contrôle d’entrée" },
    help: "La valeur du passe qui dit quand le porteur est entré. Elle est effacée si l’entrée est annulée.",
  },
  checkInLists: {
    label: { en: "Check-in lists", fr: "Listes de contrôle" },
    help: "Les listes, une par événement, où sont inscrites chez pretix les personnes contrôlées ici ; par défaut, pretix n’est pas prévenu.",
  },
  name: {
    label: { en: "Name of the activity", fr: "Nom de l’activité" },
    help: "Le nom de l’activité dans Journey Builder.",
  },
  frameHosts: {
    label: { en: "Further sites", fr: "Autres sites" },
    help: "Les sites qui peuvent afficher la page de l’activité, en plus de ceux de Marketing Cloud.",
  },
  text: {
    label: { en: "Message", fr: "Message" },
    help: "Ce que notifyPass annonce, car Brevo n’envoie aucun texte.",
  },
  projectToken: {
    label: { en: "Project token", fr: "Jeton du projet" },
    help: "Le jeton du projet sur la plateforme de données clients.",
  },
  apiKeyId: {
    label: { en: "API key ID", fr: "Identifiant de la clé d’API" },
    help: "L’identifiant d’une clé d’API avec accès privé.",
  },
  "cache/customer/ttlSeconds": {
    label: { en: "Keep what was read, in seconds", fr: "Garder ce qui a été lu, en secondes" },
    help: "Pendant ce temps, un nouveau passe reçoit ce qui a déjà été lu de son client. Par défaut : 300.",
  },
  "cache/customer/attributes": {
    label: { en: "What is read of a customer", fr: "Ce qui est lu d’un client" },
    help: "Les noms des propriétés lues et gardées avec les passes. Par défaut : first_name, last_name et language.",
  },
  provider: {
    label: { en: "Provider", fr: "Fournisseur" },
    help: "Qui distingue les personnes des programmes.",
  },
  siteKey: { label: { en: "Site key", fr: "Clé du site" }, help: "La clé publique du widget." },
  hostnames: {
    label: { en: "Hosts", fr: "Hôtes" },
    help: "Les hôtes où le widget peut être résolu ; par défaut, celui des pages publiques du client.",
  },
  action: {
    label: { en: "Action", fr: "Action" },
    help: "Ce pour quoi le widget a été résolu. Par défaut : non vérifié.",
  },
  minimumScore: {
    label: { en: "Least score", fr: "Score minimal" },
    help: "Le score minimal de reCAPTCHA v3. Sans lui, la clé est celle d’une v2, avec case à cocher.",
  },
  verifyUrl: {
    label: { en: "Other address to ask", fr: "Autre adresse à interroger" },
    help: "Une autre adresse, comme celle du simulateur. En préproduction seulement.",
  },
  clientSecret: {
    label: { en: "Client secret", fr: "Secret du client" },
    help: "Le secret de l’application, avec lequel le fournisseur signe ce qu’il envoie.",
  },
  signatureKey: {
    label: { en: "Signature key", fr: "Clé de signature" },
    help: "La clé de signature de l’abonnement chez Square.",
  },
  signingSecret: {
    label: { en: "Signing secret", fr: "Secret de signature" },
    help: "Le secret de l’application OAuth, ou celui du site s’il n’y a pas d’application.",
  },
  signingKey: {
    label: { en: "Signing key", fr: "Clé de signature" },
    help: "La clé de signature de l’espace de travail. Inutile pour les appels avec une clé d’API.",
  },
  apiToken: {
    label: { en: "API token", fr: "Jeton d’API" },
    help: "Le jeton d’API d’une équipe qui peut voir les commandes.",
  },
  securityToken: {
    label: { en: "Security token", fr: "Jeton de sécurité" },
    help: "Le jeton avec lequel Tito signe. Chaque événement a le sien : plusieurs s’écrivent event:token, séparés par des espaces.",
  },
  jwtSecret: {
    label: { en: "JWT signing secret", fr: "Secret de signature JWT" },
    help: "Le secret de signature du paquet installé, avec lequel Journey Builder signe.",
  },
  apiKeySecret: {
    label: { en: "API key secret", fr: "Secret de la clé d’API" },
    help: "Le secret de la clé d’API.",
  },
  secret: {
    label: { en: "Secret key", fr: "Clé secrète" },
    help: "La clé secrète qui va avec la clé du site.",
  },
};
