import type { FormWords } from "./form-words.ts";

export const en: FormWords = {
  fields: {
    firstName: "First name",
    lastName: "Last name",
    name: "Name",
    email: "E-mail address",
    phone: "Mobile number",
    birthday: "Date of birth",
    street: "Street and number",
    postalCode: "Postal code",
    city: "City",
    country: "Country",
  },
  phoneHint: "With the country code, such as +44 20 7946 0000.",
  optional: "optional",
  choose: "Please choose",
  submit: "Get my pass",
  readMore: "Read it in full",
  language: "Language",
  problems: {
    required: "{label}: please fill this in.",
    "too-long": "{label}: at most {max} characters.",
    "too-short": "{label}: at least {min} characters.",
    email: "{label}: please enter an address such as name@example.com.",
    phone: "{label}: please enter the number with its country code, such as +44 20 7946 0000.",
    url: "{label}: please enter an address that begins with https://.",
    date: "{label}: please enter a date that exists.",
    integer: "{label}: please enter a whole number.",
    number: "{label}: please enter a number.",
    digits: "{label}: please enter a number of at most 15 digits.",
    range: "{label}: please enter a number from {min} to {max}.",
    choice: "{label}: please choose one of the answers.",
    consent: "Your consent is needed: {label}",
    other: "{label}: please check this.",
  },
  errorPrefix: "Please check",
  summary: "Please check what you entered",
  botMissing: "Please confirm that you are a person, then send the form again.",
  botRefused:
    "We could not confirm that you are a person. Please try again; what you entered is still here.",
  botUnavailable:
    "The check that you are a person is not available right now. Please try again in a moment; what you entered is still here.",
  needsScript:
    "This form checks that you are a person. Please allow JavaScript, and reload the page.",
  checkedBy: "{vendor} checks that you are a person, by its own rules of privacy.",
  foreign: "Please send the form from this page: it came from another website.",
  trouble:
    "That did not work, and it is not your fault. Please try again in a moment; what you entered is still here.",
  knownTitle: "No new pass was made",
  knownText:
    "With these details somebody may have a pass already. If it is you: it is in your wallet, and the link you got for it still works. To protect it, we do not show it here. The issuer will gladly help you.",
  back: "Back to the form",
  missingTitle: "There is no form here",
  missingText:
    "The address is incomplete, or the form is closed. Scan the code again, or ask where you found it.",
  privacy: "This page sets no cookies. What you enter goes to the issuer alone.",
};
