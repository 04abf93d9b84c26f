import type { components } from "../../generated/schema.ts";

// Types alone, because tests load this file without a browser.
type Execution = components["schemas"]["Execution"];
type Ended = Pick<Execution, "kind" | "status" | "summary" | "counts">;

type Counts = Execution["counts"];

type Told = {
  /** The API's own sentence. */
  readonly summary: string;
  /** A number with its noun. In French, none takes the singular, as one does. */
  readonly some: (count: number, one: string, several?: string) => string;
};

type Tell = (counts: Counts, told: Told) => string | undefined;

/**
 * A sentence with these counts. There is none if one of them is missing, as it may be with a newer service: to
 * take it for 0 would tell what did not happen.
 */
const from =
  <Name extends string>(
    names: readonly Name[],
    tell: (counts: Readonly<Record<Name, number>>, told: Told) => string | undefined,
  ): Tell =>
  (counts, told) =>
    hasAll(counts, names) ? tell(counts, told) : undefined;

function hasAll<Name extends string>(
  counts: Counts,
  names: readonly Name[],
): counts is Record<Name, number> {
  return names.every((name) => counts[name] !== undefined);
}

const SENTENCES: Readonly<Record<Execution["kind"], Tell>> = {
  "expire-passes": from(["expired"], ({ expired }, { some }) =>
    expired === 0
      ? "Aucun passe n’a expiré."
      : `${some(expired, "passe a expiré", "passes ont expiré")}.`,
  ),
  "refresh-metadata": from(["updated", "unchanged", "failed"], (counts, { summary, some }) => {
    // A run that was cancelled, or that had no source to ask, has counts like any other. Only the API's
    // sentence tells such a run from the others, because it does not begin with a number.
    if (!/^\d/.test(summary)) return undefined;
    const changed = some(counts.updated, "passe mis à jour", "passes mis à jour");
    return `${changed}, ${some(counts.unchanged, "déjà à jour")}, ${some(counts.failed, "en échec")}.`;
  }),
  import: from(["files", "rows", "failed", "errors"], (counts, { some }) => {
    const { files, rows, failed, errors } = counts;
    if (files === 0) return "Aucun fichier n’attendait.";
    const done = `${some(files, "fichier importé", "fichiers importés")}, ${some(rows, "ligne", "lignes")}`;
    const cut = () =>
      some(errors, "fichier non lu jusqu’au bout", "fichiers non lus jusqu’au bout");
    const bad = [
      ...(failed === 0 ? [] : [some(failed, "ligne en échec", "lignes en échec")]),
      ...(errors === 0 ? [] : [cut()]),
    ];
    return bad.length === 0 ? `${done}.` : `${done} : ${bad.join(", ")}.`;
  }),
  "sync-wallet-classes": from(["sent"], ({ sent }, { some }) =>
    sent === 0
      ? "Aucune classe n’a été envoyée."
      : `${some(sent, "classe a été envoyée", "classes ont été envoyées")}.`,
  ),
  "check-credentials": from(["warnings"], ({ warnings }, { some }) =>
    warnings === 0
      ? "Aucun problème trouvé."
      : `${some(warnings, "avertissement", "avertissements")} ; voir le journal.`,
  ),
  // It counts each kind of thing by itself, and any of them may be new; the sentence is about all together.
  purge: (counts, { some }) => {
    const each = Object.values(counts);
    if (each.length === 0) return undefined;
    const total = each.reduce((sum, count) => sum + count, 0);
    return total === 0
      ? "Il n’y avait rien à supprimer."
      : `${some(total, "enregistrement supprimé", "enregistrements supprimés")}.`;
  },
  export: from(["passes"], ({ passes }, { some }) =>
    passes === 0
      ? "Aucun passe n’a été exporté."
      : `${some(passes, "passe a été exporté", "passes ont été exportés")}.`,
  ),
};

/**
 * What a run did, as a French sentence from its counts. Undefined for a run that failed, for kinds of task that
 * this console does not know, and where a count is missing: what the API says of them stays.
 */
export function frenchSummary(
  { kind, status, summary, counts }: Ended,
  write: (count: number) => string,
): string | undefined {
  if (status !== "succeeded" || summary === null) return undefined;
  const some = (count: number, one: string, several = one) =>
    `${write(count)} ${count < 2 ? one : several}`;
  // A newer service may have kinds that are not listed here.
  const tell: Tell | undefined = SENTENCES[kind];
  return tell?.(counts, { summary, some });
}
