export { contentNotFound } from "./content.errors.ts";
export { contentOf, inLanguage, type PassContent } from "./content.service.ts";
