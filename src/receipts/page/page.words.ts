/** What the page says by itself. All other texts come with the receipt. */
export type Words = {
  readonly title: string;
  readonly items: string;
  readonly item: string;
  readonly amount: string;
  readonly subtotal: string;
  readonly tax: string;
  /** Before taxes that the total contains. */
  readonly includes: string;
  readonly total: string;
  readonly paidBy: string;
  readonly refunds: string;
  readonly refundOf: string;
  readonly afterRefunds: string;
  readonly points: string;
  readonly number: string;
  readonly missingTitle: string;
  readonly missingText: string;
  readonly nowhereTitle: string;
  readonly nowhereText: string;
  readonly busyTitle: string;
  readonly busyText: string;
  readonly privacy: string;
};

const en: Words = {
  title: "Receipt",
  items: "What was bought",
  item: "Item",
  amount: "Amount",
  subtotal: "Subtotal",
  tax: "Tax",
  includes: "of which",
  total: "Total",
  paidBy: "Paid by",
  refunds: "Refunds",
  refundOf: "Refund of",
  afterRefunds: "Total after refunds",
  points: "Points earned",
  number: "Receipt number",
  missingTitle: "There is no receipt here",
  missingText:
    "The address is incomplete, or the receipt no longer exists. Open the link as you received it, or ask the shop.",
  nowhereTitle: "Not available right now",
  nowhereText: "This receipt cannot be shown at the moment. Please try again later.",
  busyTitle: "Please wait a moment",
  busyText: "Too many requests came from your network. Try again in a minute.",
  privacy: "This page sets no cookies and does not track you.",
};

const de: Words = {
  title: "Beleg",
  items: "Was gekauft wurde",
  item: "Artikel",
  amount: "Betrag",
  subtotal: "Zwischensumme",
  tax: "Steuer",
  includes: "darin",
  total: "Gesamt",
  paidBy: "Bezahlt mit",
  refunds: "Erstattungen",
  refundOf: "Erstattung vom",
  afterRefunds: "Gesamt nach Erstattungen",
  points: "Gesammelte Punkte",
  number: "Belegnummer",
  missingTitle: "Hier ist kein Beleg",
  missingText:
    "Die Adresse ist unvollständig, oder den Beleg gibt es nicht mehr. Öffnen Sie den Link so, wie Sie ihn erhalten haben, oder fragen Sie im Geschäft nach.",
  nowhereTitle: "Im Moment nicht verfügbar",
  nowhereText:
    "Dieser Beleg kann gerade nicht gezeigt werden. Bitte versuchen Sie es später noch einmal.",
  busyTitle: "Bitte warten Sie einen Moment",
  busyText: "Aus Ihrem Netz kamen zu viele Anfragen. Versuchen Sie es in einer Minute noch einmal.",
  privacy: "Diese Seite setzt keine Cookies und verfolgt Sie nicht.",
};

const fr: Words = {
  title: "Ticket de caisse",
  items: "Articles achetés",
  item: "Article",
  amount: "Montant",
  subtotal: "Sous-total",
  tax: "Taxe",
  includes: "dont",
  total: "Total",
  paidBy: "Payé par",
  refunds: "Remboursements",
  refundOf: "Remboursement du",
  afterRefunds: "Total après remboursements",
  points: "Points gagnés",
  number: "Numéro du ticket",
  missingTitle: "Il n’y a pas de ticket ici",
  missingText:
    "L’adresse est incomplète, ou le ticket n’existe plus. Ouvrez le lien tel que vous l’avez reçu, ou demandez au magasin.",
  nowhereTitle: "Indisponible pour l’instant",
  nowhereText: "Ce ticket ne peut pas être affiché pour l’instant. Réessayez plus tard.",
  busyTitle: "Un instant, s’il vous plaît",
  busyText: "Trop de demandes viennent de votre réseau. Réessayez dans une minute.",
  privacy: "Cette page ne dépose aucun cookie et ne vous suit pas.",
};

const es: Words = {
  title: "Recibo",
  items: "Lo comprado",
  item: "Artículo",
  amount: "Importe",
  subtotal: "Subtotal",
  tax: "Impuesto",
  includes: "incluye",
  total: "Total",
  paidBy: "Pagado con",
  refunds: "Devoluciones",
  refundOf: "Devolución del",
  afterRefunds: "Total tras devoluciones",
  points: "Puntos ganados",
  number: "Número de recibo",
  missingTitle: "Aquí no hay ningún recibo",
  missingText:
    "La dirección está incompleta o el recibo ya no existe. Abra el enlace tal como lo recibió o pregunte en la tienda.",
  nowhereTitle: "No disponible en este momento",
  nowhereText: "Este recibo no se puede mostrar ahora. Inténtelo más tarde.",
  busyTitle: "Espere un momento",
  busyText: "Su red ha enviado demasiadas solicitudes. Inténtelo de nuevo en un minuto.",
  privacy: "Esta página no usa cookies ni le rastrea.",
};

const it: Words = {
  title: "Ricevuta",
  items: "Acquisti",
  item: "Articolo",
  amount: "Importo",
  subtotal: "Subtotale",
  tax: "Imposta",
  includes: "di cui",
  total: "Totale",
  paidBy: "Pagato con",
  refunds: "Rimborsi",
  refundOf: "Rimborso del",
  afterRefunds: "Totale dopo i rimborsi",
  points: "Punti guadagnati",
  number: "Numero della ricevuta",
  missingTitle: "Qui non c’è nessuna ricevuta",
  missingText:
    "L’indirizzo è incompleto o la ricevuta non esiste più. Apri il link così come l’hai ricevuto o chiedi al negozio.",
  nowhereTitle: "Non disponibile al momento",
  nowhereText: "Questa ricevuta non può essere mostrata ora. Riprova più tardi.",
  busyTitle: "Attendi un momento",
  busyText: "Dalla tua rete sono arrivate troppe richieste. Riprova fra un minuto.",
  privacy: "Questa pagina non usa cookie e non ti traccia.",
};

const nl: Words = {
  title: "Kassabon",
  items: "Wat er is gekocht",
  item: "Artikel",
  amount: "Bedrag",
  subtotal: "Subtotaal",
  tax: "Belasting",
  includes: "waarvan",
  total: "Totaal",
  paidBy: "Betaald met",
  refunds: "Terugbetalingen",
  refundOf: "Terugbetaling van",
  afterRefunds: "Totaal na terugbetalingen",
  points: "Verdiende punten",
  number: "Bonnummer",
  missingTitle: "Hier is geen kassabon",
  missingText:
    "Het adres is onvolledig, of de bon bestaat niet meer. Open de link zoals je hem hebt gekregen, of vraag het de winkel.",
  nowhereTitle: "Nu niet beschikbaar",
  nowhereText: "Deze bon kan nu niet worden getoond. Probeer het later opnieuw.",
  busyTitle: "Een ogenblik geduld",
  busyText: "Er kwamen te veel aanvragen uit je netwerk. Probeer het over een minuut opnieuw.",
  privacy: "Deze pagina plaatst geen cookies en volgt je niet.",
};

const pt: Words = {
  title: "Recibo",
  items: "O que foi comprado",
  item: "Artigo",
  amount: "Valor",
  subtotal: "Subtotal",
  tax: "Imposto",
  includes: "inclui",
  total: "Total",
  paidBy: "Pago com",
  refunds: "Reembolsos",
  refundOf: "Reembolso de",
  afterRefunds: "Total após reembolsos",
  points: "Pontos ganhos",
  number: "Número do recibo",
  missingTitle: "Não há nenhum recibo aqui",
  missingText:
    "O endereço está incompleto ou o recibo já não existe. Abra a ligação tal como a recebeu ou pergunte na loja.",
  nowhereTitle: "De momento indisponível",
  nowhereText: "Este recibo não pode ser mostrado agora. Tente mais tarde.",
  busyTitle: "Aguarde um momento",
  busyText: "A sua rede enviou demasiados pedidos. Tente de novo dentro de um minuto.",
  privacy: "Esta página não usa cookies nem o segue.",
};

export const WORDS = { en, de, fr, es, it, nl, pt } as const;
export type PageLanguage = keyof typeof WORDS;
export const PAGE_LANGUAGES = Object.keys(WORDS) as PageLanguage[];
