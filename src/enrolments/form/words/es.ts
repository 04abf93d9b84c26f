import type { FormWords } from "./form-words.ts";

export const es: FormWords = {
  fields: {
    firstName: "Nombre",
    lastName: "Apellidos",
    name: "Nombre",
    email: "Correo electrónico",
    phone: "Número de móvil",
    birthday: "Fecha de nacimiento",
    street: "Calle y número",
    postalCode: "Código postal",
    city: "Ciudad",
    country: "País",
  },
  phoneHint: "Con el prefijo del país, por ejemplo +34 910 00 00 00.",
  optional: "opcional",
  choose: "Elija una opción",
  submit: "Obtener mi tarjeta",
  readMore: "Leer el texto completo",
  language: "Idioma",
  problems: {
    required: "{label}: rellene este campo.",
    "too-long": "{label}: {max} caracteres como máximo.",
    "too-short": "{label}: {min} caracteres como mínimo.",
    email: "{label}: escriba una dirección como nombre@ejemplo.es.",
    phone: "{label}: escriba el número con el prefijo del país, por ejemplo +34 910 00 00 00.",
    url: "{label}: escriba una dirección que empiece por https://.",
    date: "{label}: escriba una fecha que exista.",
    integer: "{label}: escriba un número entero.",
    number: "{label}: escriba un número.",
    digits: "{label}: escriba un número de 15 cifras como máximo.",
    range: "{label}: escriba un número de {min} a {max}.",
    choice: "{label}: elija una de las respuestas.",
    consent: "Se necesita su consentimiento: {label}",
    other: "{label}: revise este campo.",
  },
  errorPrefix: "Revise",
  summary: "Revise sus datos",
  botMissing: "Confirme que es una persona y envíe el formulario de nuevo.",
  botRefused:
    "No hemos podido confirmar que es una persona. Inténtelo de nuevo; sus datos siguen aquí.",
  botUnavailable:
    "La comprobación de que es una persona no está disponible. Inténtelo de nuevo en un momento; sus datos siguen aquí.",
  needsScript:
    "Este formulario comprueba que es una persona. Permita JavaScript y vuelva a cargar la página.",
  checkedBy: "{vendor} comprueba que es una persona, según sus propias normas de privacidad.",
  foreign: "Envíe el formulario desde esta página: llegó desde otro sitio web.",
  trouble:
    "No ha funcionado, y no es culpa suya. Inténtelo de nuevo en un momento; sus datos siguen aquí.",
  knownTitle: "No se ha creado una tarjeta nueva",
  knownText:
    "Puede que alguien tenga ya una tarjeta con estos datos. Si es usted: está en su wallet, y el enlace que recibió sigue siendo válido. Para protegerla, no la mostramos aquí. El emisor le ayudará con gusto.",
  back: "Volver al formulario",
  missingTitle: "Aquí no hay ningún formulario",
  missingText:
    "La dirección está incompleta o el formulario está cerrado. Escanee el código de nuevo o pregunte donde lo encontró.",
  privacy: "Esta página no usa cookies. Sus datos van solo al emisor.",
};
