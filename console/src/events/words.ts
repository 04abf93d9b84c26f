import { defineWords } from "../words/define.ts";

export const words = defineWords({
  en: {
    lead: "Everything that happens in this tenant, the newest first, with the body that webhooks get. New events appear by themselves.",
    caption: "Events, the newest first",
    byName: "Name or pattern",
    byNameHint: "All events, or such as pass.*",
    about: "About a pass or customer",
    aboutHint: "Its id",
    clear: "Show all",
    emptyTitle: "Nothing has happened yet",
    emptyText:
      "As soon as a pass is created, scanned or changed, it stands here with everything that is known of it. The same events go to your webhooks.",
    notYetTitle: "Not among the newest events",
    notYetText: "So much happened that older events have not been looked at yet.",
    nothingTitle: "No event fits these filters",
    nothingText:
      "Events are kept for 30 days, or as tenant.yml says. A name such as pass.created or a pattern such as pass.* finds them.",
    kept: "Events are kept for 30 days, or as tenant.yml says. Numbers are kept longer, so they may count more than is listed here.",
    older: "Show older events",
    body: (name: string) => `Body of ${name}`,
    onlyThis: "Only events about this one",
  },
  fr: {
    lead: "Tout ce qui se passe dans cet espace, le plus récent d’abord, avec le corps que reçoivent les webhooks. Les nouveaux événements apparaissent d’eux-mêmes.",
    caption: "Événements, le plus récent d’abord",
    byName: "Nom ou motif",
    byNameHint: "Tous, ou par exemple pass.*",
    about: "À propos d’un passe ou d’un client",
    aboutHint: "Son identifiant",
    clear: "Tout montrer",
    emptyTitle: "Rien ne s’est encore passé",
    emptyText:
      "Dès qu’un passe est créé, scanné ou modifié, cela apparaît ici avec tout ce que l’on en sait. Les mêmes événements vont à vos webhooks.",
    notYetTitle: "Pas parmi les événements les plus récents",
    notYetText:
      "Il s’est passé tant de choses que les événements plus anciens n’ont pas encore été parcourus.",
    nothingTitle: "Aucun événement ne correspond à ces filtres",
    nothingText:
      "Les événements sont gardés 30 jours, ou comme le dit tenant.yml. Un nom comme pass.created ou un motif comme pass.* les trouve.",
    kept: "Les événements sont gardés 30 jours, ou comme le dit tenant.yml. Les chiffres le sont plus longtemps et peuvent donc en compter davantage.",
    older: "Montrer les événements plus anciens",
    body: (name: string) => `Corps de ${name}`,
    onlyThis: "Seulement les événements à ce sujet",
  },
});
