import { ActionIcon, type ActionIconProps, Button, type ButtonProps, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { type Operation, useMissingScope } from "../api/rights.ts";
import { useWords } from "../words/language.ts";
import { words } from "./words.ts";

type Scoped = {
  /** What the button does at the API. Without its scope the button is off and says why. */
  readonly operation: Operation;
  readonly onClick?: () => void;
  readonly type?: "submit" | "button";
};

/** A button that is off stays in the tab order, so that everybody can learn why it is off. */
function useScope(operation: Operation, onClick: (() => void) | undefined) {
  const missing = useMissingScope(operation);
  const w = useWords(words);
  if (missing === undefined) return { reason: undefined, props: { onClick } };
  const props = { "data-disabled": true, "aria-disabled": true, onClick: refuse };
  return { reason: w.lacks(missing), props };
}

const refuse = (event: { preventDefault(): void }): void => event.preventDefault();

export function ScopedButton({
  operation,
  onClick,
  ...rest
}: Scoped & ButtonProps & { readonly children: ReactNode }) {
  const { reason, props } = useScope(operation, onClick);
  return (
    <Tooltip label={reason} disabled={reason === undefined}>
      <Button {...rest} {...props} />
    </Tooltip>
  );
}

export function ScopedIcon({
  operation,
  onClick,
  label,
  ...rest
}: Scoped & ActionIconProps & { readonly label: string; readonly children: ReactNode }) {
  const { reason, props } = useScope(operation, onClick);
  return (
    <Tooltip label={reason ?? label}>
      <ActionIcon variant="subtle" color="gray" {...rest} {...props} aria-label={label} />
    </Tooltip>
  );
}
