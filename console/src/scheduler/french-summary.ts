import type { components } from "../../generated/schema.ts";

// Types alone, because tests load this file without a browser.
type Execution = components["schemas"]["Execution"];
type Ended = Pick<Execution, "kind" | "status" | "summary" | "counts">;

type Told = {
  /** The API's own sentence. */
  readonly summary: string;
  readonly counts: Readonly<Record<string, number | undefined>>;
  /** A number with its noun. In French, none takes the singular, as one does. */
  readonly some: (count: number, one: string, several?: string) => string;
};

const SENTENCES: Readonly<Record<Execution["kind"], (told: Told) => string | undefined>> = {
  "expire-passes": ({ counts: { expired = 0 }, some }) =>
    expired === 0
      ? "Aucun passe n’a expiré."
      : `${some(expired, "passe a expiré", "passes ont expiré")}.`,
  "refresh-metadata": ({ counts: { updated = 0, unchanged = 0, failed = 0 }, summary, some }) => {
    // A run that was cancelled, or that had no source to ask, has counts like any other. Only the API's
    // sentence tells such a run from the others, because it does not begin with a number.
    if (!/^\d/.test(summary)) return undefined;
    const changed = some(updated, "passe mis à jour", "passes mis à jour");
    return `${changed}, ${some(unchanged, "déjà à jour")}, ${some(failed, "en échec")}.`;
  },
  import: ({ counts: { files = 0, rows = 0, failed = 0, errors = 0 }, some }) => {
    if (files === 0) return "Aucun fichier n’attendait.";
    const done = `${some(files, "fichier importé", "fichiers importés")}, ${some(rows, "ligne", "lignes")}`;
    const bad = [
      ...(failed === 0 ? [] : [some(failed, "ligne en échec", "lignes en échec")]),
      ...(errors === 0 ? [] : [some(errors, "fichier interrompu", "fichiers interrompus")]),
    ];
    return bad.length === 0 ? `${done}.` : `${done} : ${bad.join(", ")}.`;
  },
  "sync-wallet-classes": ({ counts: { sent = 0 }, some }) =>
    sent === 0
      ? "Aucune classe n’a été envoyée."
      : `${some(sent, "classe a été envoyée", "classes ont été envoyées")}.`,
  "check-credentials": ({ counts: { warnings = 0 }, some }) =>
    warnings === 0
      ? "Aucun problème trouvé."
      : `${some(warnings, "avertissement", "avertissements")} ; voir le journal.`,
  purge: ({ counts, some }) => {
    const total = Object.values(counts).reduce<number>((sum, count = 0) => sum + count, 0);
    return total === 0
      ? "Il n’y avait rien à supprimer."
      : `${some(total, "enregistrement supprimé", "enregistrements supprimés")}.`;
  },
  export: ({ counts: { passes = 0 }, some }) =>
    passes === 0
      ? "Aucun passe n’a été exporté."
      : `${some(passes, "passe a été exporté", "passes ont été exportés")}.`,
};

/**
 * What a run did, as a French sentence from its counts. Undefined for a run that failed and for kinds of task
 * that this console does not know: what the API says of them stays.
 */
export function frenchSummary(
  { kind, status, summary, counts }: Ended,
  write: (count: number) => string,
): string | undefined {
  if (status !== "succeeded" || summary === null) return undefined;
  const some = (count: number, one: string, several = one) =>
    `${write(count)} ${count < 2 ? one : several}`;
  // A newer service may have kinds that are not listed here.
  const tell: ((told: Told) => string | undefined) | undefined = SENTENCES[kind];
  return tell?.({ summary, counts, some });
}
