import { defineWords } from "../words/define.ts";

export const words = defineWords({
  en: {
    lead: "Programs that send people here to sign in, and then call the API in their name. They never get more than the person may do.",
    register: "Register client",
    caption: "OAuth clients of this installation",
    filter: "Filter by name",
    emptyTitle: "No OAuth clients yet",
    emptyText:
      "Register a program of yours, such as an intranet or a reporting tool, so that people can sign in to it with their account here. A program without people needs an API key instead.",
    name: "Name",
    nameHint: "Shown to people where they sign in.",
    redirects: "Where people come back to",
    redirectsHint:
      "One address in each line, compared to the letter: https, or http on their own computer.",
    flows: "How it gets tokens",
    code: "Authorization code with PKCE",
    codeHint: "For everything that is written today.",
    implicit: "Implicit",
    implicitHint:
      "Only for old programs that cannot do the other: tokens stand in addresses there.",
    clientId: "Client id",
    copyId: "Copy the client id",
    created: "Registered",
    createdBy: "By",
    more: (count: number) => `and ${count} more`,
    registeredTitle: "The client is registered",
    registeredText:
      "Give the program this client id. It is no secret: what protects people are the exact addresses and PKCE.",
    startAt: "The sign-in begins here",
    done: "Done",
    edit: "Change",
    editTitle: (name: string) => `Change ${name}`,
    save: "Save",
    changed: (name: string) => `${name} is changed.`,
    remove: "Remove",
    removeTitle: (name: string) => `Remove ${name}?`,
    removeText:
      "Nobody can sign in to this program any more, and the tokens it has stop working. This cannot be undone: registered anew, it has another client id.",
    removed: (name: string) => `${name} is removed.`,
    actions: (name: string) => `Actions for ${name}`,
  },
  fr: {
    lead: "Des programmes qui envoient les gens se connecter ici, puis appellent l’API en leur nom. Ils n’obtiennent jamais plus que ce que la personne peut faire.",
    register: "Enregistrer un client",
    caption: "Clients OAuth de cette installation",
    filter: "Filtrer par nom",
    emptyTitle: "Pas encore de client OAuth",
    emptyText:
      "Enregistrez un de vos programmes, un intranet ou un outil de rapports par exemple, pour que l’on s’y connecte avec son compte d’ici. Un programme sans utilisateurs a plutôt besoin d’une clé d’API.",
    name: "Nom",
    nameHint: "Montré aux personnes à la connexion.",
    redirects: "Adresses de retour",
    redirectsHint:
      "Une adresse par ligne, comparée à la lettre : https, ou http sur leur propre ordinateur.",
    flows: "Comment il obtient des jetons",
    code: "Code d’autorisation avec PKCE",
    codeHint: "Pour tout ce qui s’écrit aujourd’hui.",
    implicit: "Implicite",
    implicitHint:
      "Seulement pour d’anciens programmes qui ne savent pas faire autrement : les jetons y figurent dans les adresses.",
    clientId: "Identifiant du client",
    copyId: "Copier l’identifiant du client",
    created: "Enregistré",
    createdBy: "Par",
    more: (count: number) => `et ${count} de plus`,
    registeredTitle: "Le client est enregistré",
    registeredText:
      "Donnez cet identifiant au programme. Ce n’est pas un secret : ce sont les adresses exactes et PKCE qui protègent.",
    startAt: "La connexion commence ici",
    done: "Terminé",
    edit: "Modifier",
    editTitle: (name: string) => `Modifier ${name}`,
    save: "Enregistrer",
    changed: (name: string) => `${name} est modifié.`,
    remove: "Retirer",
    removeTitle: (name: string) => `Retirer ${name} ?`,
    removeText:
      "Personne ne peut plus se connecter à ce programme, et ses jetons ne marchent plus. C’est irréversible : enregistré à nouveau, il aura un autre identifiant.",
    removed: (name: string) => `${name} est retiré.`,
    actions: (name: string) => `Actions pour ${name}`,
  },
});
