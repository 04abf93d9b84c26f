/** What the page says by itself. All other texts come from the template of the pass. */
export type Words = {
  readonly addToApple: string;
  readonly addToGoogle: string;
  readonly lead: string;
  readonly scan: string;
  readonly scanHow: string;
  readonly qrLabel: string;
  readonly cardLabel: string;
  /** `{app}` stands for the app that shows the page. */
  readonly openInSafari: string;
  readonly openInSafariAnyApp: string;
  readonly openInSafariHow: string;
  readonly openInSafariCopy: string;
  readonly disabledTitle: string;
  readonly disabledText: string;
  readonly expiredTitle: string;
  readonly expiredText: string;
  readonly missingTitle: string;
  readonly missingText: string;
  readonly nowhereTitle: string;
  readonly nowhereText: string;
  readonly busyTitle: string;
  readonly busyText: string;
  readonly testOnly: string;
  readonly privacy: string;
};

const en: Words = {
  addToApple: "Add to Apple Wallet",
  addToGoogle: "Add to Google Wallet",
  lead: "Keep it on your phone: always with you, always up to date.",
  scan: "Open this page on your phone",
  scanHow: "Point the camera of your phone at the code and tap the link that appears.",
  qrLabel: "QR code that opens this page",
  cardLabel: "Preview of the pass",
  openInSafari: "{app} cannot add passes on an iPhone",
  openInSafariAnyApp: "This app cannot add passes",
  openInSafariHow: "Tap the menu (••• or the share symbol) and choose “Open in Safari”.",
  openInSafariCopy:
    "If nothing happens after the tap, copy the address of this page and open it in Safari.",
  disabledTitle: "This pass is blocked",
  disabledText: "It cannot be added to a wallet at the moment. Ask the issuer for help.",
  expiredTitle: "This pass has expired",
  expiredText: "It can no longer be added to a wallet. Ask the issuer for a new one.",
  missingTitle: "There is no pass here",
  missingText:
    "The address is incomplete, or the pass no longer exists. Open the link as you received it, or ask the sender for a new one.",
  nowhereTitle: "Not ready yet",
  nowhereText: "This pass cannot be added right now. Please try again later.",
  busyTitle: "Please wait a moment",
  busyText: "Too many requests came from your network. Try again in a minute.",
  testOnly:
    "For tests only: this pass comes from a development setup, and no real phone accepts it.",
  privacy: "This page sets no cookies and does not track you.",
};

const de: Words = {
  addToApple: "Zu Apple Wallet hinzufügen",
  addToGoogle: "Zu Google Wallet hinzufügen",
  lead: "Auf Ihrem Handy: immer dabei, immer aktuell.",
  scan: "Öffnen Sie diese Seite auf Ihrem Handy",
  scanHow:
    "Richten Sie die Kamera Ihres Handys auf den Code und tippen Sie auf den Link, der erscheint.",
  qrLabel: "QR-Code, der diese Seite öffnet",
  cardLabel: "Vorschau der Karte",
  openInSafari: "{app} kann auf dem iPhone keine Karten hinzufügen",
  openInSafariAnyApp: "Diese App kann keine Karten hinzufügen",
  openInSafariHow:
    "Tippen Sie auf das Menü (••• oder das Teilen-Symbol) und wählen Sie „In Safari öffnen“.",
  openInSafariCopy:
    "Geschieht nach dem Tippen nichts, kopieren Sie die Adresse dieser Seite und öffnen Sie sie in Safari.",
  disabledTitle: "Diese Karte ist gesperrt",
  disabledText:
    "Sie kann zurzeit keiner Wallet hinzugefügt werden. Wenden Sie sich an den Herausgeber.",
  expiredTitle: "Diese Karte ist abgelaufen",
  expiredText:
    "Sie kann keiner Wallet mehr hinzugefügt werden. Bitten Sie den Herausgeber um eine neue.",
  missingTitle: "Hier ist keine Karte",
  missingText:
    "Die Adresse ist unvollständig, oder die Karte gibt es nicht mehr. Öffnen Sie den Link so, wie Sie ihn erhalten haben, oder bitten Sie um einen neuen.",
  nowhereTitle: "Noch nicht bereit",
  nowhereText:
    "Diese Karte kann im Moment nicht hinzugefügt werden. Bitte versuchen Sie es später noch einmal.",
  busyTitle: "Bitte warten Sie einen Moment",
  busyText: "Aus Ihrem Netz kamen zu viele Anfragen. Versuchen Sie es in einer Minute noch einmal.",
  testOnly:
    "Nur zum Testen: Diese Karte stammt aus einer Entwicklungsumgebung, und kein echtes Handy nimmt sie an.",
  privacy: "Diese Seite setzt keine Cookies und verfolgt Sie nicht.",
};

const fr: Words = {
  addToApple: "Ajouter à Apple Wallet",
  addToGoogle: "Ajouter à Google Wallet",
  lead: "Sur votre téléphone : toujours avec vous, toujours à jour.",
  scan: "Ouvrez cette page sur votre téléphone",
  scanHow:
    "Visez le code avec l’appareil photo de votre téléphone, puis touchez le lien qui apparaît.",
  qrLabel: "Code QR qui ouvre cette page",
  cardLabel: "Aperçu de la carte",
  openInSafari: "{app} ne peut pas ajouter de carte sur un iPhone",
  openInSafariAnyApp: "Cette app ne peut pas ajouter de carte",
  openInSafariHow: "Touchez le menu (••• ou le symbole de partage), puis « Ouvrir dans Safari ».",
  openInSafariCopy: "Si rien ne se passe, copiez l’adresse de cette page et ouvrez-la dans Safari.",
  disabledTitle: "Cette carte est bloquée",
  disabledText: "Elle ne peut pas être ajoutée pour le moment. Adressez-vous à l’émetteur.",
  expiredTitle: "Cette carte a expiré",
  expiredText: "Elle ne peut plus être ajoutée. Demandez-en une nouvelle à l’émetteur.",
  missingTitle: "Il n’y a pas de carte ici",
  missingText:
    "L’adresse est incomplète, ou la carte n’existe plus. Ouvrez le lien tel que vous l’avez reçu, ou demandez-en un nouveau.",
  nowhereTitle: "Pas encore prête",
  nowhereText: "Cette carte ne peut pas être ajoutée pour l’instant. Réessayez plus tard.",
  busyTitle: "Un instant, s’il vous plaît",
  busyText: "Trop de demandes viennent de votre réseau. Réessayez dans une minute.",
  testOnly:
    "Pour les tests seulement : cette carte vient d’un environnement de développement, et aucun vrai téléphone ne l’accepte.",
  privacy: "Cette page ne dépose aucun cookie et ne vous suit pas.",
};

const es: Words = {
  addToApple: "Añadir a Apple Wallet",
  addToGoogle: "Añadir a Google Wallet",
  lead: "En su teléfono: siempre con usted, siempre al día.",
  scan: "Abra esta página en su teléfono",
  scanHow: "Apunte con la cámara del teléfono al código y toque el enlace que aparece.",
  qrLabel: "Código QR que abre esta página",
  cardLabel: "Vista previa de la tarjeta",
  openInSafari: "{app} no puede añadir tarjetas en un iPhone",
  openInSafariAnyApp: "Esta app no puede añadir tarjetas",
  openInSafariHow: "Toque el menú (••• o el símbolo de compartir) y elija «Abrir en Safari».",
  openInSafariCopy: "Si no ocurre nada, copie la dirección de esta página y ábrala en Safari.",
  disabledTitle: "Esta tarjeta está bloqueada",
  disabledText: "No se puede añadir en este momento. Diríjase al emisor.",
  expiredTitle: "Esta tarjeta ha caducado",
  expiredText: "Ya no se puede añadir. Pida una nueva al emisor.",
  missingTitle: "Aquí no hay ninguna tarjeta",
  missingText:
    "La dirección está incompleta o la tarjeta ya no existe. Abra el enlace tal como lo recibió o pida uno nuevo.",
  nowhereTitle: "Todavía no está lista",
  nowhereText: "Esta tarjeta no se puede añadir ahora. Inténtelo más tarde.",
  busyTitle: "Espere un momento",
  busyText: "Su red ha enviado demasiadas solicitudes. Inténtelo de nuevo en un minuto.",
  testOnly:
    "Solo para pruebas: esta tarjeta viene de un entorno de desarrollo y ningún teléfono real la acepta.",
  privacy: "Esta página no usa cookies ni le rastrea.",
};

const it: Words = {
  addToApple: "Aggiungi ad Apple Wallet",
  addToGoogle: "Aggiungi a Google Wallet",
  lead: "Sul telefono: sempre con te, sempre aggiornata.",
  scan: "Apri questa pagina sul telefono",
  scanHow: "Inquadra il codice con la fotocamera del telefono e tocca il link che appare.",
  qrLabel: "Codice QR che apre questa pagina",
  cardLabel: "Anteprima della carta",
  openInSafari: "{app} non può aggiungere carte su un iPhone",
  openInSafariAnyApp: "Questa app non può aggiungere carte",
  openInSafariHow: "Tocca il menu (••• o il simbolo di condivisione) e scegli «Apri in Safari».",
  openInSafariCopy: "Se non succede nulla, copia l’indirizzo di questa pagina e aprilo in Safari.",
  disabledTitle: "Questa carta è bloccata",
  disabledText: "Al momento non può essere aggiunta. Rivolgiti a chi l’ha emessa.",
  expiredTitle: "Questa carta è scaduta",
  expiredText: "Non può più essere aggiunta. Chiedine una nuova a chi l’ha emessa.",
  missingTitle: "Qui non c’è nessuna carta",
  missingText:
    "L’indirizzo è incompleto o la carta non esiste più. Apri il link così come l’hai ricevuto o chiedine uno nuovo.",
  nowhereTitle: "Non ancora pronta",
  nowhereText: "Questa carta non può essere aggiunta ora. Riprova più tardi.",
  busyTitle: "Attendi un momento",
  busyText: "Dalla tua rete sono arrivate troppe richieste. Riprova fra un minuto.",
  testOnly:
    "Solo per prove: questa carta viene da un ambiente di sviluppo e nessun vero telefono la accetta.",
  privacy: "Questa pagina non usa cookie e non ti traccia.",
};

const nl: Words = {
  addToApple: "Voeg toe aan Apple Wallet",
  addToGoogle: "Toevoegen aan Google Wallet",
  lead: "Op je telefoon: altijd bij je, altijd actueel.",
  scan: "Open deze pagina op je telefoon",
  scanHow: "Richt de camera van je telefoon op de code en tik op de link die verschijnt.",
  qrLabel: "QR-code die deze pagina opent",
  cardLabel: "Voorbeeld van de kaart",
  openInSafari: "{app} kan op een iPhone geen kaarten toevoegen",
  openInSafariAnyApp: "Deze app kan geen kaarten toevoegen",
  openInSafariHow: "Tik op het menu (••• of het deelsymbool) en kies ‘Open in Safari’.",
  openInSafariCopy:
    "Gebeurt er niets, kopieer dan het adres van deze pagina en open het in Safari.",
  disabledTitle: "Deze kaart is geblokkeerd",
  disabledText: "Hij kan nu niet worden toegevoegd. Vraag de uitgever om hulp.",
  expiredTitle: "Deze kaart is verlopen",
  expiredText: "Hij kan niet meer worden toegevoegd. Vraag de uitgever om een nieuwe.",
  missingTitle: "Hier is geen kaart",
  missingText:
    "Het adres is onvolledig, of de kaart bestaat niet meer. Open de link zoals je hem hebt gekregen, of vraag om een nieuwe.",
  nowhereTitle: "Nog niet klaar",
  nowhereText: "Deze kaart kan nu niet worden toegevoegd. Probeer het later opnieuw.",
  busyTitle: "Een ogenblik geduld",
  busyText: "Er kwamen te veel aanvragen uit je netwerk. Probeer het over een minuut opnieuw.",
  testOnly:
    "Alleen om te testen: deze kaart komt uit een ontwikkelomgeving, en geen echte telefoon neemt hem aan.",
  privacy: "Deze pagina plaatst geen cookies en volgt je niet.",
};

const pt: Words = {
  addToApple: "Adicionar ao Apple Wallet",
  addToGoogle: "Adicionar ao Google Wallet",
  lead: "No seu telemóvel: sempre consigo, sempre atualizado.",
  scan: "Abra esta página no seu telemóvel",
  scanHow: "Aponte a câmara do telemóvel ao código e toque na ligação que aparece.",
  qrLabel: "Código QR que abre esta página",
  cardLabel: "Pré-visualização do cartão",
  openInSafari: "{app} não pode adicionar cartões num iPhone",
  openInSafariAnyApp: "Esta app não pode adicionar cartões",
  openInSafariHow: "Toque no menu (••• ou no símbolo de partilha) e escolha «Abrir no Safari».",
  openInSafariCopy: "Se nada acontecer, copie o endereço desta página e abra-o no Safari.",
  disabledTitle: "Este cartão está bloqueado",
  disabledText: "De momento não pode ser adicionado. Contacte o emissor.",
  expiredTitle: "Este cartão expirou",
  expiredText: "Já não pode ser adicionado. Peça um novo ao emissor.",
  missingTitle: "Não há nenhum cartão aqui",
  missingText:
    "O endereço está incompleto ou o cartão já não existe. Abra a ligação tal como a recebeu ou peça uma nova.",
  nowhereTitle: "Ainda não está pronto",
  nowhereText: "Este cartão não pode ser adicionado agora. Tente mais tarde.",
  busyTitle: "Aguarde um momento",
  busyText: "A sua rede enviou demasiados pedidos. Tente de novo dentro de um minuto.",
  testOnly:
    "Apenas para testes: este cartão vem de um ambiente de desenvolvimento e nenhum telemóvel real o aceita.",
  privacy: "Esta página não usa cookies nem o segue.",
};

export const WORDS = { en, de, fr, es, it, nl, pt } as const;
export type PageLanguage = keyof typeof WORDS;
export const PAGE_LANGUAGES = Object.keys(WORDS) as PageLanguage[];
