import type { TextsOf } from "./text.ts";

/** Findings about files as such, whatever they are for. */
export const ofFiles: TextsOf<"file" | "schema" | "yaml"> = {
  "file.archive": {
    summary: "Le fichier est lui-même une archive.",
    hint: "Envoyez les fichiers qu’elle contient : une archive dans l’archive n’est pas ouverte.",
  },
  "file.too-much-yaml": {
    summary: "Tous les fichiers YAML ensemble dépassent la limite de 4 Mio.",
    hint: "Retirez ce qui ne sert pas ; ce fichier est le premier au-delà de la limite.",
  },
  "file.unknown": {
    summary: "Aucune partie de Billfold ne lit ce fichier.",
    hint: "Vérifiez le dossier et le nom ; les fichiers destinés à vos équipes peuvent rester.",
  },
  "file.unknown-settings": {
    summary: "Rien ne lit un fichier de ce nom dans « server ».",
    hint: "Outre les modèles : schedule, stores, apple, google, import, cdp, shopify, square, loyaltylion, pretix, tito, sfmc, customerio, klaviyo, braze, brevo, hubspot, bot-check, enrolment.",
  },
  "schema.invalid": {
    summary: "Une valeur ne convient pas.",
    hint: "Cherchez cette valeur dans la documentation du fichier.",
  },
  "schema.missing-property": {
    summary: "Il manque une propriété obligatoire.",
    hint: "Ajoutez la propriété.",
  },
  "schema.not-allowed": {
    summary: "Une valeur ne fait pas partie des valeurs permises.",
    hint: "Utilisez l’une des valeurs permises.",
  },
  "schema.out-of-range": {
    summary: "Une valeur, un texte ou une liste est hors des limites.",
    hint: "Restez dans les limites.",
  },
  "schema.pattern": {
    summary: "Un texte n’a pas la forme attendue.",
    hint: "Cherchez cette forme dans la documentation du fichier.",
  },
  "schema.unknown-property": {
    summary: "Une propriété porte un nom inconnu.",
    hint: "Vérifiez l’orthographe, ou retirez la propriété.",
  },
  "schema.wrong-type": {
    summary: "Une valeur n’est pas du bon type.",
    hint: "Écrivez une valeur du type attendu.",
  },
  "yaml.alias": {
    summary: "Les ancres (&) et les alias (*) de YAML ne sont pas acceptés.",
    hint: "Écrivez la valeur en entier, ou mettez-la entre guillemets si « & » ou « * » fait partie du texte.",
  },
  "yaml.character": {
    summary: "Le fichier contient un caractère qui n’a pas sa place dans un texte.",
    hint: "Retirez ce caractère ; la plupart des éditeurs savent montrer ceux qui sont invisibles.",
  },
  "yaml.depth": {
    summary: "Les valeurs sont imbriquées sur plus de 32 niveaux.",
    hint: "Simplifiez la structure.",
  },
  "yaml.directive": {
    summary: "Les directives YAML ne sont pas acceptées.",
    hint: "Retirez la ligne qui commence par « % ».",
  },
  "yaml.documents": {
    summary: "Le fichier contient plus d’un document YAML.",
    hint: "Retirez la ligne « --- » et ce qui suit, ou faites-en un fichier à part.",
  },
  "yaml.duplicate-key": {
    summary: "La même clé figure deux fois.",
    hint: "Retirez l’une des deux.",
  },
  "yaml.encoding": {
    summary: "Le fichier n’est pas de l’UTF-8 valide.",
    hint: "Enregistrez le fichier avec l’encodage UTF-8.",
  },
  "yaml.key": {
    summary: "Une clé doit être un texte.",
    hint: "Donnez un nom à la valeur ; mettez-le entre guillemets s’il contient des caractères spéciaux.",
  },
  "yaml.number": {
    summary: "Un nombre ne peut pas être conservé exactement comme il est écrit.",
    hint: "Mettez-le entre guillemets si c’est un texte ou un identifiant.",
  },
  "yaml.syntax": {
    summary: "Le fichier ne peut pas être lu comme du YAML.",
    hint: "Vérifiez l’indentation, et mettez entre guillemets les valeurs qui contiennent des caractères spéciaux.",
  },
  "yaml.tag": {
    summary: "Les étiquettes YAML (!) ne sont pas acceptées.",
    hint: "Retirez l’étiquette, ou mettez la valeur entre guillemets si « ! » fait partie du texte.",
  },
  "yaml.too-complex": {
    summary: "Le fichier contient trop de valeurs : environ 20 000 sont lues.",
    hint: "Retirez ce qui ne sert pas, ou répartissez le contenu là où plusieurs fichiers de ce type sont possibles.",
  },
  "yaml.too-large": {
    summary: "Un fichier YAML ne peut pas dépasser 256 Kio.",
    hint: "Répartissez-le en plusieurs fichiers, ou retirez ce qui ne sert pas.",
  },
};
