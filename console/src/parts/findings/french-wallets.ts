import type { FindingText, TextsOf } from "./text.ts";

/** Findings about what Apple Wallet and Google Wallet ask for. */
export const ofWallets: TextsOf<"apple" | "credential" | "google"> = {
  "apple.enrolment-hidden": {
    summary: "Apple Wallet ne pose jamais de question au porteur sur les passes de ce modèle.",
    hint: "Utilisez la catégorie « loyalty », et donnez au passe le NFC, pour lequel Apple doit avoir délivré le certificat.",
  },
  "apple.enrolment-logo-missing": {
    summary: "Il n’y a pas d’image pour le haut du formulaire qu’affiche Apple Wallet.",
    hint: "Ajoutez « enrolmentLogo » ou « logo » à « images », d’au moins 450 × 120 pixels.",
  },
  "apple.enrolment-member": {
    summary: "Une réponse du porteur est gardée dans une donnée qui n’accepte pas de texte.",
    hint: "Déclarez cette donnée dans « data » comme { type: string }, ou nommez-en une autre dans « enrolment.into ».",
  },
  "apple.enrolment-never-asks": {
    summary: "« data » rend obligatoire tout ce qui serait demandé au porteur.",
    hint: "Retirez de « required » ce à quoi le porteur doit répondre.",
  },
  "apple.layout-barcode": {
    summary: "Une mise en page donne un code-barres qui ne peut exister ; il est donc omis.",
    hint: "Utilisez un autre format, ou un texte plus court, de simples lettres et chiffres.",
  },
  "apple.layout-doubtful": {
    summary: "Avec des données d’exemple, une mise en page donne un passe que les iPhone refusent.",
    hint: "Assurez-vous que le texte ait la bonne forme pour chaque passe, ou décrivez ses données.",
  },
  "apple.layout-refused": {
    summary: "Une mise en page donne des passes que les iPhone refusent.",
    hint: "Corrigez l’élément ; la description de pass.json par Apple dit ce qu’il accepte.",
  },
  "apple.layout-unknown": {
    summary:
      "Une mise en page contient un nom ou une valeur qu’Apple Wallet ne connaît pas et ignore.",
    hint: "Corrigez-le, ou gardez-le si un iOS plus récent le connaît.",
  },
  "apple.key-taken": {
    summary: "Un champ porte la clé sous laquelle s’affichent les messages au porteur.",
    hint: "Donnez une autre clé au champ.",
  },
  "apple.member-missing": {
    summary: "Une mise en page retire un élément sans lequel Apple Wallet refuse un passe.",
    hint: "Retirez cet élément de la mise en page.",
  },
  "apple.service-unreachable": {
    summary: "Les passes ne changent plus sur les iPhone : ce service n’a pas d’adresse https.",
    hint: "Donnez à BASE_URL l’adresse https par laquelle les téléphones joignent ce service. Les passes ajoutés avant doivent l’être à nouveau.",
  },
  "google.images-unreachable": {
    summary: "Google ne peut ni prendre les images de ce service, ni lui dire qui ajoute un passe.",
    hint: "Donnez à BASE_URL une adresse https publique. D’ici là, Google refuse les passes avec images.",
  },
  "apple.nfc-key": {
    summary: "La clé publique des lecteurs n’a pas la forme qu’accepte Apple Wallet.",
    hint: "Créez-la avec : openssl ec -in key.pem -pubout -conv_form compressed -outform DER | base64 -w0.",
  },
  "apple.nfc-key-missing": {
    summary: "Apple Wallet ne transmet rien aux lecteurs sans leur clé publique.",
    hint: "Ajoutez « encryptionPublicKey » à « nfc », et demandez à Apple un certificat avec NFC.",
  },
  "apple.nfc-message": {
    summary:
      "Le message pour les lecteurs est trop long pour Apple Wallet, qui n’en reçoit alors aucun.",
    hint: "Utilisez un texte plus court, par exemple l’identifiant du passe.",
  },
  "apple.push-priority": {
    summary: "Le service push d’Apple refuse la priorité 10 pour les notifications « background ».",
    hint: "Écrivez « type: alert » à côté, ou utilisez la priorité 5.",
  },
  "apple.style-incomplete": {
    summary:
      "Le modèle contient une partie seulement de ce qu’exige un style plus riche d’Apple Wallet.",
    hint: "Ajoutez ce qui manque, ou retirez ce que seul le style plus riche affiche.",
  },
  "apple.time-zone": {
    summary: "Un lieu nomme un fuseau horaire qui n’existe pas : ce fuseau est omis.",
    hint: "Utilisez le nom IANA, par exemple Europe/Zurich.",
  },
  "apple.too-many-barcodes": {
    summary: "Une mise en page donne plus de codes-barres qu’un passe ne peut en avoir.",
    hint: "Gardez-en un par format : un téléphone affiche le premier qu’il sait afficher.",
  },
  "apple.too-many-fields": {
    summary: "Apple Wallet n’a pas de place pour ce champ et l’omet sans le dire.",
    hint: "Déplacez le champ vers « back », ou retirez-en un.",
  },
  "credential.chain-broken": {
    summary: "Le certificat intermédiaire n’est pas celui qui a délivré le certificat.",
    hint: "Utilisez la génération de l’intermédiaire d’Apple que le certificat nomme comme émetteur.",
  },
  "credential.chain-missing": {
    summary: "Il manque le certificat intermédiaire : Apple Wallet refuse les passes sans lui.",
    hint: "Ajoutez le certificat intermédiaire d’Apple au secret, ou nommez-le sous secrets.intermediate.",
  },
  "credential.expired": {
    summary: "Un certificat a expiré : Apple Wallet refuse ce qu’il signe.",
    hint: "Renouvelez le certificat dans le portail développeur d’Apple et enregistrez-le à nouveau.",
  },
  "credential.expires-soon": {
    summary: "Un certificat expire dans les 60 jours.",
    hint: "Renouvelez le certificat dans le portail développeur d’Apple et enregistrez-le à nouveau.",
  },
  "credential.identifier-mismatch": {
    summary: "Le certificat a été délivré pour un autre identifiant que celui du fichier.",
    hint: "Utilisez les identifiants du certificat, ou enregistrez le certificat qui leur correspond.",
  },
  "credential.key-mismatch": {
    summary: "La clé ne correspond pas au certificat.",
    hint: "Enregistrez la clé avec laquelle le certificat a été demandé.",
  },
  "credential.missing": {
    summary: "Un fichier nomme un secret qui n’existe pas.",
    hint: "Enregistrez le secret, ou corrigez son nom. D’ici là, les passes sont signés uniquement à des fins d’essai.",
  },
  "credential.not-yet-valid": {
    summary: "Un certificat n’est pas encore valable.",
    hint: "Vérifiez l’horloge de cette machine, ou attendez.",
  },
  "credential.passphrase": {
    summary: "Une clé est chiffrée, et sa phrase secrète manque ou est fausse.",
    hint: "Nommez le secret qui contient la phrase secrète sous secrets.passphrase, ou enregistrez la clé sans phrase secrète.",
  },
  "credential.unreadable": {
    summary: "Un secret ne contient pas ce que le fichier en attend.",
    hint: "Enregistrez à nouveau le secret, en texte au format PEM ; pour Google, le fichier JSON tel quel.",
  },
  "google.airport-code": {
    summary: "Google Wallet refuse un vol dont les aéroports n’ont pas de code IATA.",
    hint: "Utilisez les trois lettres majuscules de l’IATA, comme ZRH.",
  },
  "google.balance-without-currency": {
    summary: "Google Wallet n’affiche un solde qu’avec sa devise.",
    hint: "Ajoutez currency: EUR, ou un autre code de trois lettres, à « giftCard ».",
  },
  "google.class-field-missing": {
    summary: "Il manque un élément sans lequel Google Wallet refuse une classe.",
    hint: "Ajoutez la valeur au modèle.",
  },
  "google.layout-image-address": {
    summary:
      "Une mise en page contient l’adresse d’une image que Google Wallet ne peut pas charger.",
    hint: "Écrivez une adresse qui commence par https://.",
  },
  "google.layout-member-missing": {
    summary: "Une mise en page omet un élément que Google Wallet exige à l’intérieur d’un autre.",
    hint: "Ajoutez l’élément, ou retirez celui auquel il appartient.",
  },
  "google.layout-own-member": {
    summary: "Une mise en page définit ce que ce service ou Google Wallet définit lui-même.",
    hint: "Retirez l’élément.",
  },
  "google.layout-review-status": {
    summary:
      "Une mise en page soustrait la classe à la vérification de Google, qui n’en prend donc aucun passe.",
    hint: "Retirez « reviewStatus », ou écrivez UNDER_REVIEW : Google approuve la classe lui-même.",
  },
  "google.layout-unknown-member": {
    summary:
      "Une mise en page contient un élément que Google Wallet ne connaît pas : Google refuse tout passe qui l’a.",
    hint: "Retirez l’élément, ou écrivez son nom comme dans la référence de Google.",
  },
  "google.layout-unknown-value": {
    summary: "Une mise en page contient une valeur que Google Wallet n’accepte pas à cet endroit.",
    hint: "Écrivez l’une des valeurs que Google accepte.",
  },
  "google.layout-wrong-type": {
    summary:
      "Une mise en page contient une valeur d’un autre type que celui que Google Wallet attend.",
    hint: "Écrivez une valeur du type que Google attend.",
  },
  "google.class-per-pass": {
    summary:
      "Google Wallet reçoit une classe pour chaque passe et la garde pour toujours, avec ce qu’elle dit du porteur.",
    hint: "Mettez cette valeur dans un champ qui n’est pas le titre, par exemple un champ secondaire.",
  },
  "google.class-per-text": {
    summary:
      "Google Wallet reçoit une classe pour chaque texte d’une offre, et n’en supprime aucune.",
    hint: "Donnez un « enum » à cette donnée si les textes sont peu nombreux. Ce qui est propre à un porteur va dans un champ qui n’est pas le titre.",
  },
  "google.class-text-shared": {
    summary:
      "Google Wallet montre un texte d’un pass aux porteurs de tous les pass du même événement ou du même voyage.",
    hint: "Mettez cette valeur dans un champ du pass, par exemple un champ secondaire, ou dans un détail qui lui est propre, comme « event.holder ».",
  },
  "google.flight-carrier": {
    summary: "Google Wallet refuse un vol sans le code de son transporteur.",
    hint: "Donnez à « transit.carrier » les deux caractères de l’IATA, comme LX, ou les trois lettres de l’OACI, comme SWR.",
  },
  "google.flight-number": {
    summary:
      "Google Wallet refuse un numéro de vol qui contient autre chose que des chiffres, et Apple Wallet affiche la carte d’embarquement classique.",
    hint: "Utilisez les chiffres seuls, comme 15 ; le code du transporteur a sa place dans « transit.carrier ».",
  },
  "google.leg-incomplete": {
    summary: "Google Wallet refuse un trajet qui ne dit pas où il commence.",
    hint: "Donnez à « transit.origin » un « name » si la destination en a un, et un « code » si elle en a un.",
  },
  "google.leg-no-departure": {
    summary: "Google Wallet refuse un trajet qui n’a ni départ ni fin de validité.",
    hint: "Donnez à « transit » un « departure », ou au modèle une « expiration », sauf si chaque passe est créé avec une « expirationDate ».",
  },
  "google.object-field-missing": {
    summary: "Il manque un élément sans lequel Google Wallet refuse un passe.",
    hint: "Ajoutez la valeur au modèle.",
  },
  "google.time-identifies": {
    summary:
      "Une autre heure fait un autre événement ou un autre vol chez Google Wallet, qui n’avertit aucun titulaire : aucun « id » ne dit que c’est le même.",
    hint: "Donnez à « event » ou à « transit » un « id » qui reste, comme le numéro sous lequel vous connaissez l’événement.",
  },
  "google.too-many-fields": {
    summary: "Google Wallet affiche neuf champs au recto : celui-ci est omis.",
    hint: "Déplacez le champ vers « back », ou retirez-en un.",
  },
  "google.too-many-texts": {
    summary:
      "Google Wallet affiche dix champs d’un passe, recto et verso compris : celui-ci est omis.",
    hint: "Réunissez deux champs en un, ou retirez-en un.",
  },
  "google.venue-incomplete": {
    summary: "Google Wallet n’affiche un lieu qu’avec son nom et son adresse.",
    hint: "Donnez à « event » à la fois « venue » et « address ».",
  },
};

type ProblemText = FindingText & {
  /** What of the API's own words tells more than the French text: names of files, say. */
  readonly tellsMore: readonly ("message" | "hint")[];
};

/**
 * Problems that the API tells of credentials beside the findings. No rule for files makes them, so the
 * catalogue does not have them.
 */
export const credentialProblems: Readonly<Record<string, ProblemText>> = {
  "credential.not-used": {
    summary: "L’accès est enregistré, mais aucun fichier publié ne le nomme : il ne sert pas.",
    hint: "Publiez le fichier qui le nomme.",
    tellsMore: ["message", "hint"],
  },
  "credential.none": {
    summary: "Aucun accès n’est enregistré pour ce portefeuille.",
    hint: "Enregistrez-en un ici, puis publiez le fichier qui le nomme.",
    // What follows depends on the tenant: passes for testing only, or none at all.
    tellsMore: ["message"],
  },
  "credential.no-nfc": {
    summary:
      "Le certificat n’est pas prévu pour le NFC, alors que des modèles contiennent « nfc » : de vrais téléphones peuvent refuser leurs passes.",
    hint: "Demandez à Apple un certificat Pass Type ID avec NFC, ou retirez « nfc.encryptionPublicKey ».",
    tellsMore: ["message"],
  },
  "credential.pushes-refused": {
    summary:
      "Le service push d’Apple refuse le certificat : les téléphones n’apprennent plus les changements.",
    hint: "Renouvelez le certificat chez Apple s’il est révoqué ou prévu pour un autre type de passe, puis enregistrez-le ici : ce qui attend part aussitôt.",
    // Since when, and why.
    tellsMore: ["message"],
  },
  "credential.account-refused": {
    summary:
      "Google refuse le compte de service : les passes n’y sont plus ni créés ni modifiés, et attendent.",
    hint: "Autorisez le compte de service à agir pour l’émetteur dans la console Google Pay & Wallet, puis vérifiez la connexion ici : ce qui attend part aussitôt.",
    tellsMore: ["message"],
  },
  "credential.not-apple": {
    summary:
      "Le certificat n’a pas été délivré par Apple : aucun vrai téléphone n’accepte ce qu’il signe.",
    hint: "Utilisez un certificat Pass Type ID du portail développeur d’Apple.",
    tellsMore: [],
  },
  "google.erasure-incomplete": {
    summary:
      "Des passes effacés ne sont pas encore vides chez Google ; une nouvelle tentative aura lieu plus tard.",
    hint: "Le journal du service nomme les objets et ce qui en reste.",
    tellsMore: ["message"],
  },
};
