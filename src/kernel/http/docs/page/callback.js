// In the implicit flow, errors come in the fragment of the address, which servers do not see. This
// script passes on only the error; a token stays in the fragment.

const REASON_CHARACTERS_MAX = 300;

const answer = new URLSearchParams(location.hash.slice(1));
if (answer.has("error")) {
  const told = new URLSearchParams();
  for (const name of ["error", "error_description"]) {
    if (answer.has(name)) told.set(name, answer.get(name).slice(0, REASON_CHARACTERS_MAX));
  }
  location.replace(`?${told}`);
}
