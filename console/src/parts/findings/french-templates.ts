import type { TextsOf } from "./text.ts";

type Area =
  | "barcode"
  | "color"
  | "data"
  | "field"
  | "identifier"
  | "image"
  | "locale"
  | "location"
  | "privilege"
  | "template";

/** Findings about templates, and about the pictures and translations that they use. */
export const ofTemplates: TextsOf<Area> = {
  "barcode.encoding": {
    summary: "Le texte d’un code-barres contient un caractère que ce format ne peut pas porter.",
    hint: "Utilisez format: qr, ou un texte fait de lettres sans accent, de chiffres et de signes simples.",
  },
  "barcode.same-for-all": {
    summary:
      "Le code-barres est le même sur tous les passes : aucun lecteur ne peut les distinguer.",
    hint: "Utilisez {{ pass.id }} ou un identifiant.",
  },
  "barcode.too-long": {
    summary: "Le texte d’un code-barres est trop long pour être lu sur un écran.",
    hint: "Utilisez un texte plus court, par exemple {{ pass.id }}.",
  },
  "color.low-contrast": {
    summary: "Un texte se lit mal sur son fond : le contraste est inférieur à 3 pour 1.",
    hint: "Éclaircissez ou assombrissez l’une des deux couleurs.",
  },
  "color.unreadable": {
    summary: "Une couleur d’une mise en page n’a pas la forme que lit le portefeuille.",
    hint: "Écrivez rgb(31, 42, 68) pour Apple Wallet, et #1f2a44 pour Google Wallet.",
  },
  "data.required-undeclared": {
    summary: "Une donnée est obligatoire, mais le modèle ne la décrit pas.",
    hint: "Ajoutez-la à « properties », ou corrigez son nom.",
  },
  "field.change-never-shown": {
    summary: "Le message qui annonce un changement ne peut jamais s’afficher.",
    hint: "Écrivez %@ une seule fois, à la place de la nouvelle valeur, et donnez le message à un champ dont la valeur change.",
  },
  "field.no-effect": {
    summary: "Un réglage d’un champ n’a pas d’effet là où se trouve le champ.",
    hint: "Retirez-le.",
  },
  "identifier.name": {
    summary: "Le nom d’un identifiant n’est pas fait d’une source et d’un nom.",
    hint: "Écrivez <source>.<nom>, comme dans loyalty.number.",
  },
  "identifier.undeclared": {
    summary: "Un texte utilise un identifiant que le modèle ne nomme pas.",
    hint: "Ajoutez-le à « identifiers », ou corrigez son nom.",
  },
  "identifier.unique-not-required": {
    summary:
      "Un identifiant est unique mais pas obligatoire : les passes qui ne l’ont pas ne sont jamais comparés.",
    hint: "Ajoutez-le à « required » si chaque passe en a un.",
  },
  "image.aspect-ratio": {
    summary:
      "Une image n’a pas les proportions de son emplacement : une grande partie est coupée ou reste vide.",
    hint: "Donnez à l’image les proportions de son emplacement.",
  },
  "image.damaged": {
    summary: "Une image est tronquée ou endommagée.",
    hint: "Ouvrez l’original et enregistrez-le à nouveau.",
  },
  "image.file-missing": {
    summary: "Un modèle nomme une image qui n’est pas parmi les fichiers.",
    hint: "Ajoutez le fichier, ou corrigez le chemin ; il part de la racine : images/logo.png.",
  },
  "image.icon-missing": {
    summary: "Le modèle n’a pas d’icône ; Apple Wallet refuse un passe sans icône.",
    hint: "Ajoutez images: { icon: images/icon.png }, un carré d’au moins 114 × 114 pixels.",
  },
  "image.not-an-image": {
    summary: "Un fichier désigné comme image n’est pas une image utilisable.",
    hint: "Utilisez un fichier PNG, JPEG ou WebP. Le nom d’un fichier ne change pas son contenu.",
  },
  "image.svg": {
    summary: "Un fichier désigné comme image est un SVG, ce qui n’est pas accepté.",
    hint: "Enregistrez-le en PNG à la taille voulue. Un SVG peut renvoyer à d’autres fichiers et à d’autres serveurs.",
  },
  "image.too-large": {
    summary: "Une image est trop volumineuse, ou l’ensemble des images l’est.",
    hint: "Réduisez-la : aucun portefeuille n’affiche plus de 1 280 pixels de large.",
  },
  "image.too-small": {
    summary: "Une image a moins de pixels que les écrans n’en affichent et paraît floue.",
    hint: "Exportez-la depuis l’original dans une plus grande taille.",
  },
  "image.unused": {
    summary: "Aucun modèle n’utilise cette image.",
    hint: "Supprimez le fichier, ou nommez-le dans un modèle.",
  },
  "image.wrong-slot": {
    summary: "Apple Wallet n’affiche pas cette image sur un passe de cette catégorie.",
    hint: "Retirez l’image, ou donnez-lui un emplacement que cette catégorie possède.",
  },
  "locale.not-text": {
    summary: "Une traduction n’est pas un texte.",
    hint: "Donnez un texte, ou un ensemble de textes.",
  },
  "locale.unknown-language": {
    summary: "Le nom d’un fichier n’est pas une langue.",
    hint: "Nommez le fichier d’après une langue : locales/de.yml ou locales/pt-BR.yml.",
  },
  "locale.untranslated": {
    summary: "Un texte n’est pas traduit dans l’une des langues.",
    hint: "Ajoutez-le au fichier de cette langue dans locales/.",
  },
  "locale.unused": {
    summary: "Aucun modèle n’utilise cette traduction.",
    hint: "Retirez-la, ou corrigez le texte qu’elle traduit.",
  },
  "location.no-stores": {
    summary:
      "Les passes doivent s’afficher près des magasins, mais aucun magasin n’a de coordonnées.",
    hint: "Donnez des coordonnées (location) aux magasins dans server/stores.yml, ou retirez « locations ».",
  },
  "location.too-many": {
    summary:
      "Les portefeuilles tiennent compte de dix lieux par passe : les autres sont sans effet.",
    hint: "Mettez les dix plus importants en premier.",
  },
  "privilege.duplicate-id": {
    summary: "Deux avantages d’un modèle ont le même identifiant.",
    hint: "Donnez à chaque avantage son propre identifiant.",
  },
  "privilege.id-not-addressable": {
    summary:
      "L’identifiant d’un avantage est « . » ou « .. », que les clients retirent des adresses.",
    hint: "Donnez-lui un identifiant avec une lettre ou un chiffre.",
  },
  "privilege.inexact-number": {
    summary: "Un nombre d’un avantage a trop de chiffres pour être conservé.",
    hint: "Utilisez au plus 15 chiffres avant le point décimal et 4 après.",
  },
  "privilege.one-time-value": {
    summary: "Un avantage OneTime commence par une autre valeur que 1 ou 0.",
    hint: "Donnez 1 à « value », ou choisissez le type MultiUse si l’avantage s’utilise plusieurs fois ou en partie.",
  },
  "privilege.out-of-bounds": {
    summary: "La valeur de départ d’un avantage est hors de ses propres limites.",
    hint: "Donnez à « value » un nombre compris entre « minimum » et « maximum ».",
  },
  "template.data-too-large": {
    summary: "Le schéma de « data » décrit plus que ce qu’un passe peut contenir.",
    hint: "Décrivez ce que les textes affichent ou ce que les programmes doivent envoyer ; le reste n’a pas besoin de description.",
  },
  "template.duplicate-key": {
    summary: "Deux champs ont la même clé.",
    hint: "Donnez à chaque champ d’un passe sa propre clé.",
  },
  "template.duplicate-name": {
    summary: "Deux modèles portent le même nom : on ne peut pas les distinguer.",
    hint: "Donnez à chaque modèle son propre nom.",
  },
  "template.expiration": {
    summary: "On ne sait pas clairement quand les passes expirent.",
    hint: "Écrivez after: P2Y pour deux ans, P30D pour trente jours, ou at: avec une date.",
  },
  "template.layout-fixed-member": {
    summary: "Une mise en page définit ce qui fait l’identité de chaque passe ; c’est sans effet.",
    hint: "Retirez cet élément.",
  },
  "template.layout-without-template": {
    summary: "Une mise en page ne correspond à aucun modèle.",
    hint: "Nommez le fichier d’après un modèle : layouts/<passType>.apple.yml.",
  },
  "template.liquid-syntax": {
    summary: "Un texte n’est pas du Liquid valide.",
    hint: "Vérifiez les accolades, les guillemets et les balises de fin.",
  },
  "template.mixed-format": {
    summary: "Un champ a deux formats à la fois.",
    hint: "Gardez la date et l’heure, ou le nombre, ou la devise.",
  },
  "template.pass-type-name": {
    summary: "Le nom d’un fichier ne peut pas être celui d’un type de passe.",
    hint: "Utilisez des lettres, des chiffres, « - » et « _ », 64 au plus.",
  },
  "template.render-failed": {
    summary: "Un texte n’a pas pu être généré avec les données d’exemple.",
    hint: "Prévoyez l’absence de données : {% if data.x %} … {% endif %} ou {{ data.x | default: '' }}.",
  },
  "template.too-large": {
    summary: "Un texte devient trop long.",
    hint: "Raccourcissez le texte ; une valeur contient 16 Kio au plus.",
  },
  "template.too-slow": {
    summary: "Un texte met trop de temps à être généré.",
    hint: "Simplifiez le texte : moins de boucles, moins de répétitions.",
  },
  "template.transit-missing": {
    summary: "Une carte d’embarquement n’indique pas son moyen de transport.",
    hint: "Ajoutez transit: { type: air }, ou train, bus, boat, generic.",
  },
  "template.unknown-currency": {
    summary:
      "Une monnaie n’est pas dans l’ISO 4217 : les portefeuilles ne savent pas en écrire les montants.",
    hint: "Utilisez le code de trois lettres, comme EUR ; écrivez des points comme un nombre suivi de leur nom.",
  },
  "template.unknown-data": {
    summary: "Un texte utilise une donnée de « data » que le modèle ne déclare pas.",
    hint: "Ajoutez-la aux propriétés de « data », ou corrigez son nom.",
  },
  "template.unknown-filter": {
    summary: "Un texte utilise un filtre qui n’existe pas ici.",
    hint: "Utilisez l’un des filtres que connaissent les modèles.",
  },
  "template.unknown-privilege": {
    summary: "Un texte utilise un avantage que le modèle ne donne pas.",
    hint: "Ajoutez-le à « privileges », ou corrigez son nom.",
  },
  "template.unknown-tag": {
    summary: "Un texte utilise une balise qui n’existe pas ici.",
    hint: "Utilisez l’une des balises que connaissent les modèles.",
  },
  "template.unknown-status": {
    summary: "Un trajet a un statut que les portefeuilles ne connaissent pas.",
    hint: "Utilisez scheduled, delayed, boarding, active, landed, cancelled, redirected ou diverted ; vos propres mots ont leur place dans « statusText ».",
  },
  "template.unknown-time-zone": {
    summary:
      "Un fuseau horaire n’existe pas : les heures sont donc celles du fuseau de l’organisation.",
    hint: "Utilisez le nom IANA, comme Europe/Zurich.",
  },
  "template.unknown-variable": {
    summary: "Un texte utilise une variable qui n’existe pas.",
    hint: "Utilisez l’une des variables que connaissent les modèles.",
  },
  "template.wrong-block": {
    summary: "Une partie du modèle appartient à une autre catégorie de passe.",
    hint: "Retirez-la, ou changez la catégorie du modèle.",
  },
};
