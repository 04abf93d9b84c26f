import type { catalogue } from "./catalogue.ts";

type EventName = (typeof catalogue)[number]["name"];

/** When each event happens, in French. A new event does not compile before it has its sentence here. */
export const frenchMeanings: Readonly<Record<EventName, string>> = {
  "api-key.created":
    "Une clé d’API a été créée. Le jeton lui-même ne fait jamais partie d’un événement.",
  "api-key.deleted": "Une clé d’API a été révoquée et supprimée.",
  "api-key.updated": "Le nom, les droits ou l’expiration d’une clé d’API ont changé.",
  "configuration.published": "Une nouvelle version de la configuration de l’espace est en vigueur.",
  "credential.expiring":
    "Un certificat en service expire bientôt : annoncé 60, 30, 7 et 1 jours avant, une fois chacun.",
  "customer.created": "Un client a été créé.",
  "customer.deleted": "Un client a été effacé.",
  "customer.updated": "Une information connue sur un client a changé.",
  "device.connected":
    "Un appareil a reçu sa première clé. La clé elle-même ne fait jamais partie d’un événement.",
  "device.deleted": "Un appareil a été retiré et sa clé a pris fin.",
  "device.registered": "Un appareil de contrôle a été enregistré. Il n’a pas encore de clé.",
  "device.reset": "Un appareil déjà connecté a reçu une nouvelle clé et l’ancienne a pris fin.",
  "device.updated": "Le nom ou les réglages d’un appareil ont changé.",
  "enrolment-link.created": "Un lien vers un formulaire d’inscription a été créé.",
  "enrolment-link.deleted": "Un lien vers un formulaire d’inscription a été supprimé.",
  "enrolment-link.updated":
    "Un lien vers un formulaire d’inscription a changé ; les visites ne sont pas annoncées.",
  "enrolment.completed":
    "Quelqu’un a reçu un passe par le formulaire public. Les consentements figurent dans les métadonnées du passe.",
  "enrolment.repeated":
    "Quelqu’un a rempli le formulaire public au nom d’une personne qui a déjà un tel passe. Il ne lui a pas été montré : envoyez son lien à l’adresse que vous connaissez.",
  "extension.delivery-failed":
    "Un envoi d’un fournisseur connecté n’a pas pu être traité. La boîte de réception dit pourquoi.",
  "import.completed":
    "Chaque ligne d’un fichier a été essayée ; `failed` dit combien ont échoué. Aussi pour un fichier déjà importé (`duplicateOf`) et pour un essai à blanc.",
  "import.failed":
    "Un import s’est terminé avant que chaque ligne soit essayée ; `problem` dit pourquoi.",
  "job.ended":
    "Une tâche est terminée ; `state` dit comment. La modification d’un seul passe par son identifiant n’est annoncée que si elle a échoué : sinon l’événement du passe en parle.",
  "job.progressed":
    "Une tâche a fait un dixième de plus de son travail et n’est pas encore à sa fin.",
  "pass.created": "Un passe a été créé.",
  "pass.deleted": "Un passe a été effacé, et avec lui ce que l’on savait de son porteur.",
  "pass.disabled": "Un passe a été désactivé.",
  "pass.enabled": "Un passe désactivé ou expiré est de nouveau actif.",
  "pass.expired": "La durée de validité d’un passe est écoulée.",
  "pass.installed": "Un wallet contient un passe qui n’était sur aucun de ses appareils.",
  "pass.notification-failed":
    "Un wallet n’a pas reçu un message au porteur d’un passe : il l’a refusé, ou n’a pas pu être prévenu à temps. Le message n’est pas renvoyé.",
  "pass.notified": "Un message a été envoyé au porteur d’un passe.",
  "pass.uninstalled": "Le dernier appareil d’un wallet qui contenait un passe l’a retiré.",
  "pass.update-delivered": "Un wallet a le contenu le plus récent d’un passe modifié.",
  "pass.update-failed":
    "Un wallet n’a pas reçu un passe modifié : il ne l’a pas demandé malgré les rappels, ou ne peut pas être prévenu. Il aura le contenu le plus récent quand il le demandera de lui-même.",
  "pass.updated":
    "Le contenu d’un passe a changé : ses données, identifiants, métadonnées ou son expiration.",
  "privilege.created":
    "Un privilège a été ajouté à un passe. Ceux que le modèle donne à chaque nouveau passe viennent avec `pass.created`.",
  "privilege.deleted":
    "Un privilège a été supprimé ; il est décrit tel qu’il était, avec sa dernière valeur. Son registre reste avec le passe.",
  "privilege.moved":
    "Un mouvement a été inscrit au registre d’un privilège. Il y a exactement un tel événement par mouvement.",
  "privilege.updated":
    "Les conditions d’un privilège ont changé : son nom, type, limites, unité, statut, validité ou métadonnées.",
  "receipt.created": "Un achat est devenu un reçu. Ses lignes se lisent par son identifiant.",
  "receipt.deleted":
    "Un reçu a été effacé seul. Ceux d’un passe ou d’un client effacé partent avec lui, sans cet événement.",
  "receipt.updated": "Une partie d’un achat a été rendue.",
  "scan.recorded":
    "Un code a été scanné, qu’il appartienne ou non à un passe et ait été accepté ou non.",
  "store.*.created": "Une configuration publiée contient un nouveau magasin.",
  "store.*.deleted":
    "Une configuration publiée ne contient plus un magasin ; il est décrit tel qu’il était.",
  "store.*.updated": "Une configuration publiée modifie un magasin.",
  "task.completed": "Une exécution d’une tâche planifiée a réussi.",
  "task.failed":
    "Une exécution d’une tâche planifiée a échoué ; la prochaine a lieu à l’heure prévue malgré tout.",
  "tenant.deleted":
    "L’espace a pris fin. Ses abonnements finissent avec lui : cet événement est donc rarement livré.",
  "webhook.disabled":
    "Le service a cessé de livrer à un webhook : son adresse a répondu qu’elle n’existe plus, ou rien n’est passé pendant des jours. Les événements sont gardés et peuvent être rattrapés.",
  "webhook.test":
    "Quelqu’un essaie un webhook. Va à ce webhook seulement, quels que soient ses événements.",
};
