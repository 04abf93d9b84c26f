import type { FormWords } from "./form-words.ts";

export const nl: FormWords = {
  fields: {
    firstName: "Voornaam",
    lastName: "Achternaam",
    name: "Naam",
    email: "E-mailadres",
    phone: "Mobiel nummer",
    birthday: "Geboortedatum",
    street: "Straat en huisnummer",
    postalCode: "Postcode",
    city: "Plaats",
    country: "Land",
  },
  phoneHint: "Met het landnummer, bijvoorbeeld +31 20 624 1111.",
  optional: "niet verplicht",
  choose: "Maak een keuze",
  submit: "Mijn pas ophalen",
  readMore: "Helemaal lezen",
  language: "Taal",
  problems: {
    required: "{label}: vul dit in.",
    "too-long": "{label}: hooguit {max} tekens.",
    "too-short": "{label}: minstens {min} tekens.",
    email: "{label}: vul een adres in zoals naam@voorbeeld.nl.",
    phone: "{label}: vul het nummer in met het landnummer, bijvoorbeeld +31 20 624 1111.",
    url: "{label}: vul een adres in dat met https:// begint.",
    date: "{label}: vul een datum in die bestaat.",
    integer: "{label}: vul een geheel getal in.",
    number: "{label}: vul een getal in.",
    digits: "{label}: vul een getal in van hooguit 15 cijfers.",
    range: "{label}: vul een getal in van {min} tot {max}.",
    choice: "{label}: kies een van de antwoorden.",
    consent: "Uw toestemming is nodig: {label}",
    other: "{label}: kijk dit na.",
  },
  errorPrefix: "Kijk dit na",
  summary: "Kijk uw gegevens na",
  botMissing: "Bevestig dat u een mens bent en verstuur het formulier opnieuw.",
  botRefused:
    "We konden niet bevestigen dat u een mens bent. Probeer het opnieuw; uw gegevens staan er nog.",
  botUnavailable:
    "De controle of u een mens bent is nu niet beschikbaar. Probeer het zo opnieuw; uw gegevens staan er nog.",
  needsScript:
    "Dit formulier controleert of u een mens bent. Sta JavaScript toe en laad de pagina opnieuw.",
  checkedBy: "{vendor} controleert of u een mens bent, volgens eigen privacyregels.",
  foreign: "Verstuur het formulier vanaf deze pagina: het kwam van een andere website.",
  trouble:
    "Dat lukte niet, en het ligt niet aan u. Probeer het zo opnieuw; uw gegevens staan er nog.",
  knownTitle: "Er is geen nieuwe pas gemaakt",
  knownText:
    "Met deze gegevens heeft misschien al iemand een pas. Bent u dat: hij zit in uw wallet, en de link die u ervoor kreeg werkt nog. Om hem te beschermen tonen we hem hier niet. De uitgever helpt u graag.",
  back: "Terug naar het formulier",
  missingTitle: "Hier is geen formulier",
  missingText:
    "Het adres is onvolledig, of het formulier is gesloten. Scan de code opnieuw, of vraag het waar u die vond.",
  privacy: "Deze pagina plaatst geen cookies. Uw gegevens gaan alleen naar de uitgever.",
};
