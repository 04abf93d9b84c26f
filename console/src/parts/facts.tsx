import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** A name and what is known under it. A fact that is undefined is left out. */
export type Fact = readonly [name: string, value: ReactNode];

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A part of a detail, with its own heading. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section>
      <div className={classes.sectionHead}>
        <Title order={3}>{title}</Title>
        {actions}
      </div>
      {children}
    </section>
  );
}
