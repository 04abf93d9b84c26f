import type { FormWords } from "./form-words.ts";

export const it: FormWords = {
  fields: {
    firstName: "Nome",
    lastName: "Cognome",
    name: "Nome",
    email: "Indirizzo e-mail",
    phone: "Numero di cellulare",
    birthday: "Data di nascita",
    street: "Via e numero",
    postalCode: "CAP",
    city: "Città",
    country: "Paese",
  },
  phoneHint: "Con il prefisso del Paese, per esempio +39 06 0606.",
  optional: "facoltativo",
  choose: "Scegliere",
  submit: "Ottieni la carta",
  readMore: "Leggi il testo completo",
  language: "Lingua",
  problems: {
    required: "{label}: campo da compilare.",
    "too-long": "{label}: al massimo {max} caratteri.",
    "too-short": "{label}: almeno {min} caratteri.",
    email: "{label}: inserire un indirizzo come nome@esempio.it.",
    phone: "{label}: inserire il numero con il prefisso del Paese, per esempio +39 06 06061234.",
    url: "{label}: inserire un indirizzo che inizia con https://.",
    date: "{label}: inserire una data che esiste.",
    integer: "{label}: inserire un numero intero.",
    number: "{label}: inserire un numero.",
    digits: "{label}: inserire un numero di 15 cifre al massimo.",
    range: "{label}: inserire un numero da {min} a {max}.",
    choice: "{label}: scegliere una delle risposte.",
    consent: "Serve il suo consenso: {label}",
    other: "{label}: da controllare.",
  },
  errorPrefix: "Da controllare",
  summary: "Controlli i dati inseriti",
  botMissing: "Confermi di essere una persona, poi invii di nuovo il modulo.",
  botRefused:
    "Non abbiamo potuto confermare che lei sia una persona. Riprovi; i suoi dati sono ancora qui.",
  botUnavailable:
    "La verifica che lei sia una persona non è disponibile. Riprovi tra un momento; i suoi dati sono ancora qui.",
  needsScript:
    "Questo modulo verifica che lei sia una persona. Consenta JavaScript e ricarichi la pagina.",
  checkedBy: "{vendor} verifica che lei sia una persona, secondo le proprie regole di privacy.",
  foreign: "Invii il modulo da questa pagina: proveniva da un altro sito.",
  trouble:
    "Non ha funzionato, e non è colpa sua. Riprovi tra un momento; i suoi dati sono ancora qui.",
  knownTitle: "Nessuna nuova carta è stata creata",
  knownText:
    "Con questi dati qualcuno potrebbe avere già una carta. Se è lei: si trova nel suo wallet, e il link che ha ricevuto è ancora valido. Per proteggerla, non la mostriamo qui. L’emittente la aiuterà volentieri.",
  back: "Torna al modulo",
  missingTitle: "Qui non c’è nessun modulo",
  missingText:
    "L’indirizzo è incompleto, o il modulo è chiuso. Scansioni di nuovo il codice, o chieda dove l’ha trovato.",
  privacy: "Questa pagina non usa cookie. I suoi dati vanno solo all’emittente.",
};
