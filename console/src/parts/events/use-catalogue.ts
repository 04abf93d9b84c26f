import { useQuery } from "@tanstack/react-query";
import { useLanguage } from "../../words/language.ts";

export type KnownEvent = {
  readonly name: string;
  /** When it happens, in the language of the person. */
  readonly meaning: string;
  /** An example of `data`, as JSON. */
  readonly example: string;
  /** What it is about: the first part of its name. */
  readonly noun: string;
};

/** Every event there is; empty until the catalogue is loaded, which only pages about events do. */
export function useCatalogue(): readonly KnownEvent[] {
  const language = useLanguage();
  const { data } = useQuery({
    queryKey: ["event-catalogue", language],
    queryFn: async () => {
      const [{ catalogue }, { frenchMeanings }] = await Promise.all([
        import("./catalogue.ts"),
        import("./french-meanings.ts"),
      ]);
      return catalogue.map(({ name, when, body }) => ({
        name,
        // Backticks mark names in documents; here they would be shown as they are.
        meaning: (language === "fr" ? frenchMeanings[name] : when)?.replaceAll("`", "") ?? "",
        example: body,
        noun: name.split(".")[0] ?? name,
      }));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? NONE;
}

const NONE: readonly KnownEvent[] = [];

/** By what they are about, in the order of the catalogue. */
export function groupByNoun(events: readonly KnownEvent[]): [string, readonly KnownEvent[]][] {
  return [...Map.groupBy(events, ({ noun }) => noun)];
}

/** The whole body of an example, as a webhook gets it. The text of `data` stays as it is. */
export function exampleBody(
  { name, example }: KnownEvent,
  tenantId: string,
  environment: string,
): string {
  const head = JSON.stringify({
    id: "evt_0VfQm3Ks00x7Rk2LwPq9Zt",
    event: name.replaceAll("*", "berlin-1"),
    tenantId,
    occurredAt: "2026-01-31T09:30:00.000Z",
    environment,
  });
  return `${head.slice(0, -1)},"data":${example}}`;
}
