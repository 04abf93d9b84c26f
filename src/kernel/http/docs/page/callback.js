// The implicit flow tells its errors in the part of the address that servers do not see. Only the
// error goes on: a token stays where it is.

const REASON_CHARACTERS_MAX = 300;

const answer = new URLSearchParams(location.hash.slice(1));
if (answer.has("error")) {
  const told = new URLSearchParams();
  for (const name of ["error", "error_description"]) {
    if (answer.has(name)) told.set(name, answer.get(name).slice(0, REASON_CHARACTERS_MAX));
  }
  location.replace(`?${told}`);
}
