import type { FormWords } from "./form-words.ts";

export const fr: FormWords = {
  fields: {
    firstName: "Prénom",
    lastName: "Nom",
    name: "Nom",
    email: "Adresse e-mail",
    phone: "Numéro de mobile",
    birthday: "Date de naissance",
    street: "Rue et numéro",
    postalCode: "Code postal",
    city: "Ville",
    country: "Pays",
  },
  phoneHint: "Avec l’indicatif du pays, par exemple +33 1 42 72 00 00.",
  optional: "facultatif",
  choose: "Veuillez choisir",
  submit: "Obtenir ma carte",
  readMore: "Lire en entier",
  language: "Langue",
  problems: {
    required: "{label} : veuillez remplir ce champ.",
    "too-long": "{label} : {max} caractères au plus.",
    "too-short": "{label} : {min} caractères au moins.",
    email: "{label} : veuillez saisir une adresse comme nom@exemple.fr.",
    phone:
      "{label} : veuillez saisir le numéro avec l’indicatif du pays, par exemple +33 1 42 72 00 00.",
    url: "{label} : veuillez saisir une adresse qui commence par https://.",
    date: "{label} : veuillez saisir une date qui existe.",
    integer: "{label} : veuillez saisir un nombre entier.",
    number: "{label} : veuillez saisir un nombre.",
    digits: "{label} : veuillez saisir un nombre de 15 chiffres au plus.",
    range: "{label} : veuillez saisir un nombre de {min} à {max}.",
    choice: "{label} : veuillez choisir une des réponses.",
    consent: "Votre accord est nécessaire : {label}",
    other: "{label} : veuillez vérifier.",
  },
  errorPrefix: "À vérifier",
  summary: "Veuillez vérifier votre saisie",
  botMissing: "Veuillez confirmer que vous êtes une personne, puis renvoyez le formulaire.",
  botRefused:
    "Nous n’avons pas pu confirmer que vous êtes une personne. Veuillez réessayer ; votre saisie est conservée.",
  botUnavailable:
    "La vérification que vous êtes une personne est indisponible. Veuillez réessayer dans un instant ; votre saisie est conservée.",
  needsScript:
    "Ce formulaire vérifie que vous êtes une personne. Veuillez autoriser JavaScript et recharger la page.",
  checkedBy: "{vendor} vérifie que vous êtes une personne, selon ses propres règles.",
  foreign: "Veuillez envoyer le formulaire depuis cette page : il venait d’un autre site.",
  trouble:
    "Cela n’a pas fonctionné, et ce n’est pas de votre faute. Veuillez réessayer dans un instant ; votre saisie est conservée.",
  knownTitle: "Aucune nouvelle carte n’a été créée",
  knownText:
    "Avec ces informations, quelqu’un a peut-être déjà une carte. Si c’est vous : elle est dans votre wallet, et le lien que vous avez reçu reste valable. Pour la protéger, nous ne l’affichons pas ici. L’émetteur vous aidera volontiers.",
  back: "Retour au formulaire",
  missingTitle: "Il n’y a pas de formulaire ici",
  missingText:
    "L’adresse est incomplète, ou le formulaire est fermé. Scannez le code de nouveau, ou demandez là où vous l’avez trouvé.",
  privacy: "Cette page ne dépose aucun cookie. Votre saisie va à l’émetteur seul.",
};
