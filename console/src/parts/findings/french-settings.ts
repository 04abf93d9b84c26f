import type { TextsOf } from "./text.ts";

/** Findings about settings of the tenant: all that is not a template. */
export const ofSettings: TextsOf<
  "connector" | "enrolment" | "import" | "schedule" | "store" | "tenant"
> = {
  "connector.bot-check-member": {
    summary: "Un réglage du contrôle anti-robot ne convient pas à son fournisseur.",
    hint: "Retirez-le, ou choisissez un autre fournisseur.",
  },
  "connector.unknown-pass-type": {
    summary: "Un connecteur crée des passes d’un type qui n’a pas de modèle.",
    hint: "Utilisez le nom d’un fichier de server/passes, sans « .yml ».",
  },
  "enrolment.duplicate": {
    summary: "Un formulaire demande deux fois la même chose.",
    hint: "Nommez une seule fois chaque donnée, chaque consentement, et chacun de email, phone, firstName et lastName.",
  },
  "enrolment.identifier-missing": {
    summary: "Le modèle a besoin d’un identifiant que le formulaire ne fournit pas.",
    hint: "Indiquez-le dans « identifiers », par un champ ou par un nombre de chiffres au hasard.",
  },
  "enrolment.identifier-name": {
    summary: "Un identifiant ne peut pas porter ce nom.",
    hint: "Nommez-le <source>.<nom>, par exemple loyalty.number. Les noms qui commencent par « enrolment. » sont réservés.",
  },
  "enrolment.identifier-source": {
    summary: "Un identifiant n’a pas de source, ou en a deux.",
    hint: "Indiquez soit « member », qui est l’un des « fields », soit « digits ».",
  },
  "enrolment.identifier-unproved": {
    summary: "Une réponse du formulaire deviendrait l’identifiant d’un connecteur.",
    hint: "Retirez l’identifiant, ou donnez-lui « digits ». Définissez-le par l’API une fois que la personne a prouvé qui elle est.",
  },
  "enrolment.member-missing": {
    summary: "Le modèle a besoin d’une donnée que le formulaire ne fournit pas.",
    hint: "Demandez-la dans « fields » comme obligatoire, ou fixez-la dans « data ».",
  },
  "enrolment.member-unaskable": {
    summary: "Un formulaire demande une donnée que le modèle ne reprend pas d’un formulaire.",
    hint: "Demandez des textes, des nombres, des dates, des choix ou des oui/non que le modèle décrit.",
  },
  "enrolment.unknown-pass-type": {
    summary: "Un formulaire concerne des passes d’un type qui n’a pas de modèle.",
    hint: "Utilisez le nom d’un fichier de server/passes, sans « .yml ».",
  },
  "import.duplicate-target": {
    summary: "Deux colonnes remplissent la même valeur.",
    hint: "Gardez l’une des deux, et affectez l’autre à « ignore ».",
  },
  "import.unknown-pass-type": {
    summary: "Des lignes deviendraient des passes d’un type qui n’a pas de modèle.",
    hint: "Utilisez le nom d’un fichier de server/passes, sans « .yml ».",
  },
  "schedule.cron": {
    summary: "Un horaire ne peut pas être tenu.",
    hint: "Écrivez cinq champs, par exemple « 30 3 * * * » pour trois heures et demie chaque nuit.",
  },
  "schedule.duplicate-id": {
    summary: "Deux tâches ont le même identifiant.",
    hint: "Donnez à chaque tâche son propre identifiant.",
  },
  "schedule.setting-invalid": {
    summary: "Un réglage d’une tâche a une valeur inutilisable.",
    hint: "Consultez docs/scheduler.md pour les réglages de chaque type de tâche.",
  },
  "schedule.setting-unknown": {
    summary: "Une tâche a un réglage que les tâches de ce type n’acceptent pas.",
    hint: "Retirez-le, ou consultez docs/scheduler.md pour les réglages de chaque type de tâche.",
  },
  "schedule.time-zone-unknown": {
    summary: "Le fuseau horaire d’une tâche est inconnu.",
    hint: "Utilisez un nom de la base IANA, par exemple Europe/Paris.",
  },
  "schedule.unknown-pass-type": {
    summary: "Une tâche concerne des passes d’un type qui n’a pas de modèle.",
    hint: "Utilisez le nom d’un fichier de server/passes, sans « .yml ».",
  },
  "store.duplicate-id": {
    summary: "Deux magasins ont le même identifiant.",
    hint: "Donnez à chaque magasin son propre identifiant.",
  },
  "tenant.operation-unknown": {
    summary: "Une limite de débit nomme une opération qui n’existe pas.",
    hint: "Utilisez un operationId de la référence de l’API, ou « default » pour toutes celles qui ne sont pas nommées.",
  },
  "tenant.settings-missing": {
    summary: "Il n’y a pas de fichier tenant.yml.",
    hint: "Ajoutez tenant.yml avec au moins un nom.",
  },
  "tenant.sftp-key-unusable": {
    summary: "Une clé publique ne permet à personne de se connecter au dépôt de fichiers.",
    hint: "Utilisez une ligne d’un fichier de clé publique, par exemple ~/.ssh/id_ed25519.pub : Ed25519, ECDSA, ou RSA à partir de 2048 bits.",
  },
  "tenant.time-zone-unknown": {
    summary: "Le fuseau horaire est inconnu.",
    hint: "Utilisez un nom de la base IANA, par exemple Europe/Paris.",
  },
};
