import { Anchor, Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import type { MouseEvent, ReactNode } from "react";
import { ApiProblem, Unreachable } from "../api/problem.ts";
import { getLanguage } from "../words/language.ts";
import { words } from "./words.ts";

const SHORT_MS = 5_000;
/** Long enough to notice a mistake. */
const UNDO_MS = 12_000;

export type ToastLink = {
  readonly label: string;
  readonly href: string;
  /** Goes there without loading the console anew. */
  readonly follow: () => void;
};

type Toast = {
  readonly message: string;
  /** Leads to what the message is about. `useToastLink` makes it. */
  readonly link?: ToastLink | undefined;
  /** Takes back what was done. */
  readonly undo?: () => Promise<unknown>;
};

export function toast({ message, link, undo }: Toast): void {
  const id = crypto.randomUUID();
  const w = words[getLanguage()];
  const takeBack = async () => {
    notifications.hide(id);
    try {
      await undo?.();
      toast({ message: w.undone });
    } catch (error) {
      toastProblem(error);
    }
  };
  const follow = (event: MouseEvent) => {
    // With these keys, people open a link in another tab or window.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    notifications.hide(id);
    link?.follow();
  };
  show(
    id,
    undo === undefined ? SHORT_MS : UNDO_MS,
    "teal",
    <IconCheck size={18} />,
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm">{message}</Text>
      {link !== undefined && (
        <Anchor size="sm" fw={600} href={link.href} onClick={follow}>
          {link.label}
        </Anchor>
      )}
      {undo !== undefined && (
        <Button size="compact-sm" variant="light" onClick={() => void takeBack()}>
          {w.undo}
        </Button>
      )}
    </Group>,
  );
}

/** For failures of actions that have no place of their own on the page. */
export function toastProblem(error: unknown): void {
  const w = words[getLanguage()];
  const problem = error instanceof ApiProblem ? error : undefined;
  const message = error instanceof Unreachable ? w.connection : (error as Error).message;
  show(
    crypto.randomUUID(),
    false,
    "red",
    <IconAlertTriangle size={18} />,
    <>
      <Text size="sm">{message}</Text>
      {problem !== undefined && (
        <Text size="xs" c="dimmed">
          {w.requestId} {problem.requestId}
        </Text>
      )}
    </>,
  );
}

function show(
  id: string,
  autoClose: number | false,
  color: string,
  icon: ReactNode,
  message: ReactNode,
): void {
  const closeButtonProps = { "aria-label": words[getLanguage()].close };
  notifications.show({ id, message, color, icon, autoClose, withBorder: true, closeButtonProps });
}
