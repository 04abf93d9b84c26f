import type { ReactNode } from "react";
import classes from "./scroll-region.module.css";

/** For tables that are wider than a phone: they scroll, also by the keyboard. */
export function ScrollRegion({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls.
    <section className={classes.region} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
