import type { FormWords } from "./form-words.ts";

export const pt: FormWords = {
  fields: {
    firstName: "Nome próprio",
    lastName: "Apelido",
    name: "Nome",
    email: "Endereço de e-mail",
    phone: "Número de telemóvel",
    birthday: "Data de nascimento",
    street: "Rua e número",
    postalCode: "Código postal",
    city: "Cidade",
    country: "País",
  },
  phoneHint: "Com o indicativo do país, por exemplo +351 21 000 0000.",
  optional: "opcional",
  choose: "Escolha",
  submit: "Obter o meu cartão",
  readMore: "Ler na íntegra",
  language: "Idioma",
  problems: {
    required: "{label}: preencha este campo.",
    "too-long": "{label}: no máximo {max} caracteres.",
    "too-short": "{label}: pelo menos {min} caracteres.",
    email: "{label}: escreva um endereço como nome@exemplo.pt.",
    phone: "{label}: escreva o número com o indicativo do país, por exemplo +351 21 000 0000.",
    url: "{label}: escreva um endereço que comece por https://.",
    date: "{label}: escreva uma data que exista.",
    integer: "{label}: escreva um número inteiro.",
    number: "{label}: escreva um número.",
    digits: "{label}: escreva um número de 15 algarismos, no máximo.",
    range: "{label}: escreva um número de {min} a {max}.",
    choice: "{label}: escolha uma das respostas.",
    consent: "É necessário o seu consentimento: {label}",
    other: "{label}: verifique este campo.",
  },
  errorPrefix: "Verifique",
  summary: "Verifique os seus dados",
  botMissing: "Confirme que é uma pessoa e envie o formulário de novo.",
  botRefused:
    "Não conseguimos confirmar que é uma pessoa. Tente de novo; os seus dados continuam aqui.",
  botUnavailable:
    "A verificação de que é uma pessoa não está disponível. Tente de novo daqui a pouco; os seus dados continuam aqui.",
  needsScript:
    "Este formulário verifica que é uma pessoa. Permita JavaScript e recarregue a página.",
  checkedBy: "{vendor} verifica que é uma pessoa, segundo as suas próprias regras de privacidade.",
  foreign: "Envie o formulário a partir desta página: veio de outro site.",
  trouble:
    "Não funcionou, e a culpa não é sua. Tente de novo daqui a pouco; os seus dados continuam aqui.",
  knownTitle: "Não foi criado um novo cartão",
  knownText:
    "Talvez alguém já tenha um cartão com estes dados. Se for você: está na sua wallet, e o link que recebeu continua válido. Para o proteger, não o mostramos aqui. O emissor ajuda com gosto.",
  back: "Voltar ao formulário",
  missingTitle: "Não há nenhum formulário aqui",
  missingText:
    "O endereço está incompleto, ou o formulário está fechado. Leia o código de novo, ou pergunte onde o encontrou.",
  privacy: "Esta página não usa cookies. Os seus dados vão apenas para o emissor.",
};
