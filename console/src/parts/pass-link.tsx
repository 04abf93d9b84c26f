import { PageLink } from "../navigation.tsx";
import type { Search } from "../page.ts";
import { pageById } from "../pages.ts";
import links from "./link.module.css";
import classes from "./parts.module.css";

type Props = { readonly passId: string; readonly label?: string };

/** Leads to a pass; the plain text where there is no page of passes. */
export function PassLink({ passId, label }: Props) {
  const target = pageById("passes");
  const text = label ?? <code className={classes.mono}>{passId}</code>;
  if (target === undefined) return <span>{text}</span>;
  return (
    <PageLink page={target} search={{ pass: passId } as Search} className={links.link}>
      {text}
    </PageLink>
  );
}
