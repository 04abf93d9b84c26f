import type { FormWords } from "./form-words.ts";

export const de: FormWords = {
  fields: {
    firstName: "Vorname",
    lastName: "Nachname",
    name: "Name",
    email: "E-Mail-Adresse",
    phone: "Handynummer",
    birthday: "Geburtsdatum",
    street: "Straße und Hausnummer",
    postalCode: "Postleitzahl",
    city: "Ort",
    country: "Land",
  },
  phoneHint: "Mit Landesvorwahl, zum Beispiel +49 30 901820.",
  optional: "freiwillig",
  choose: "Bitte wählen",
  submit: "Karte holen",
  readMore: "Ganz lesen",
  language: "Sprache",
  problems: {
    required: "{label}: Bitte ausfüllen.",
    "too-long": "{label}: höchstens {max} Zeichen.",
    "too-short": "{label}: mindestens {min} Zeichen.",
    email: "{label}: Bitte eine Adresse wie name@beispiel.de eingeben.",
    phone: "{label}: Bitte die Nummer mit Landesvorwahl eingeben, zum Beispiel +49 30 901820.",
    url: "{label}: Bitte eine Adresse eingeben, die mit https:// beginnt.",
    date: "{label}: Bitte ein Datum eingeben, das es gibt.",
    integer: "{label}: Bitte eine ganze Zahl eingeben.",
    number: "{label}: Bitte eine Zahl eingeben.",
    digits: "{label}: Bitte eine Zahl mit höchstens 15 Ziffern eingeben.",
    range: "{label}: Bitte eine Zahl von {min} bis {max} eingeben.",
    choice: "{label}: Bitte eine der Antworten wählen.",
    consent: "Ihre Zustimmung ist nötig: {label}",
    other: "{label}: Bitte prüfen.",
  },
  errorPrefix: "Bitte prüfen",
  summary: "Bitte prüfen Sie Ihre Angaben",
  botMissing:
    "Bitte bestätigen Sie, dass Sie ein Mensch sind, und senden Sie das Formular noch einmal.",
  botRefused:
    "Wir konnten nicht bestätigen, dass Sie ein Mensch sind. Bitte versuchen Sie es noch einmal; Ihre Angaben sind noch da.",
  botUnavailable:
    "Die Prüfung, dass Sie ein Mensch sind, ist gerade nicht möglich. Bitte versuchen Sie es gleich noch einmal; Ihre Angaben sind noch da.",
  needsScript:
    "Dieses Formular prüft, ob Sie ein Mensch sind. Bitte erlauben Sie JavaScript und laden Sie die Seite neu.",
  checkedBy: "{vendor} prüft, ob Sie ein Mensch sind, nach eigenen Regeln zum Datenschutz.",
  foreign: "Bitte senden Sie das Formular von dieser Seite: Es kam von einer anderen Website.",
  trouble:
    "Das hat nicht geklappt, und es liegt nicht an Ihnen. Bitte versuchen Sie es gleich noch einmal; Ihre Angaben sind noch da.",
  knownTitle: "Es wurde keine neue Karte erstellt",
  knownText:
    "Mit diesen Angaben hat vielleicht schon jemand eine Karte. Falls Sie das sind: Sie ist in Ihrer Wallet, und der Link, den Sie dafür bekommen haben, gilt weiter. Um sie zu schützen, zeigen wir sie hier nicht. Der Herausgeber hilft Ihnen gern.",
  back: "Zurück zum Formular",
  missingTitle: "Hier ist kein Formular",
  missingText:
    "Die Adresse ist unvollständig, oder das Formular ist geschlossen. Scannen Sie den Code noch einmal, oder fragen Sie dort, wo Sie ihn gefunden haben.",
  privacy: "Diese Seite setzt keine Cookies. Ihre Angaben gehen allein an den Herausgeber.",
};
