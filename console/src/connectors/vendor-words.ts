/** What each connector does, in French; the API says it in English. */
export const ABOUT_IN_FRENCH: Readonly<Record<string, string>> = {
  "bot-check":
    "Turnstile, hCaptcha ou reCAPTCHA examine les visiteurs des formulaires d’inscription avant que quoi que ce soit d’eux soit gardé. Qui est refusé ne reçoit pas de passe.",
  braze:
    "Les webhooks des campagnes et des Canvas donnent un passe, le modifient et préviennent son porteur. Ils s’identifient par une clé d’API.",
  brevo:
    "Les étapes webhook des automatisations donnent un passe aux contacts, le modifient et préviennent son porteur. Elles s’identifient par une clé d’API.",
  cdp: "Dit à la plateforme de données clients ce qui arrive aux passes, et montre sur les passes ce qu’elle sait des clients. Les webhooks des scénarios donnent un passe, le modifient et préviennent son porteur.",
  customerio:
    "Les actions webhook des campagnes donnent un passe, le modifient et préviennent son porteur. Elles sont signées, ou s’identifient par une clé d’API.",
  hubspot:
    "Les webhooks et les actions des workflows donnent un passe aux contacts, le modifient et préviennent son porteur. Ils s’identifient par une clé d’API, ou sont signés par une application.",
  klaviyo:
    "Les actions webhook des flows donnent un passe aux profils, le modifient et préviennent son porteur. Elles s’identifient par une clé d’API.",
  loyaltylion:
    "Les membres d’un programme reçoivent un passe qui montre leurs points validés et leur niveau, dès qu’ils changent.",
  pretix:
    "Les billets payés deviennent des passes qui suivent leur commande : modifiée, annulée, remboursée, contrôlée. Un passage en revue chaque nuit trouve ce qui n’a pas été dit.",
  sfmc: "Une activité de Journey Builder qui donne un passe aux contacts, le modifie ou prévient son porteur. Le lien pour ajouter le passe sert aux étapes suivantes.",
  shopify:
    "Les clients d’une boutique reçoivent un passe, que les commandes payées enrichissent. Remboursements et annulations le reprennent, et les demandes d’effacement sont suivies.",
  square:
    "Les clients d’un vendeur reçoivent un passe, que les paiements enrichissent. Les remboursements le reprennent, et les clients supprimés chez Square sont effacés.",
  tito: "Les billets deviennent des passes qui les suivent : modifiés, cédés, annulés, contrôlés.",
};
