import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { useLanguage } from "../../words/language.ts";
import type { FindingWords, ToldFinding } from "./finding-words.ts";

const asTold = ({ message, hint }: ToldFinding): FindingWords => ({
  summary: message,
  hint,
  language: "en",
  exact: undefined,
});

/**
 * How findings are told to the person. The French texts are loaded only where the console is French; until
 * they are there, and for codes that they lack, the API's own words are shown.
 */
export function useFindingWords(): (finding: ToldFinding) => FindingWords {
  const isFrench = useLanguage() === "fr";
  const { data: french } = useQuery({
    queryKey: ["french-findings"],
    queryFn: () => import("./french-findings.ts"),
    enabled: isFrench,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useCallback(
    (finding) => (isFrench ? french?.inFrench(finding) : undefined) ?? asTold(finding),
    [isFrench, french],
  );
}
