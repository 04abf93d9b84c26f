import type { Text } from "../../words/define.ts";

/** What entries of the timeline are called. Events that are new keep their own names. */
export const TITLES: Readonly<Record<string, Text>> = {
  "pass.created": { en: "Created", fr: "Créé" },
  "pass.updated": { en: "Changed", fr: "Modifié" },
  "pass.disabled": { en: "Disabled", fr: "Désactivé" },
  "pass.enabled": { en: "Active again", fr: "De nouveau actif" },
  "pass.expired": { en: "Expired", fr: "Expiré" },
  "pass.installed": { en: "Installed in a wallet", fr: "Installé dans un portefeuille" },
  "pass.uninstalled": { en: "Removed from a wallet", fr: "Retiré d’un portefeuille" },
  "pass.notified": { en: "Message sent to the holder", fr: "Message envoyé au titulaire" },
  "pass.update-delivered": {
    en: "The wallet has the newest content",
    fr: "Le portefeuille a le contenu le plus récent",
  },
  "pass.update-failed": {
    en: "The wallet did not get the change",
    fr: "Le portefeuille n’a pas reçu la modification",
  },
  "pass.notification-failed": {
    en: "The wallet did not get the message",
    fr: "Le portefeuille n’a pas reçu le message",
  },
  "privilege.created": { en: "Privilege added", fr: "Avantage ajouté" },
  "privilege.updated": { en: "Privilege changed", fr: "Avantage modifié" },
  "privilege.deleted": { en: "Privilege deleted", fr: "Avantage supprimé" },
  "privilege.moved": { en: "Privilege moved", fr: "Mouvement d’un avantage" },
  "scan.recorded": { en: "Scanned", fr: "Lu" },
  "enrolment.completed": { en: "Enrolled by the form", fr: "Inscrit par le formulaire" },
  "enrolment.repeated": { en: "Form filled in again", fr: "Formulaire rempli à nouveau" },
  "apple.pushed": { en: "Device told of the change", fr: "Appareil prévenu de la modification" },
  "apple.asked": {
    en: "Device asked what changed",
    fr: "L’appareil a demandé ce qui a changé",
  },
};
