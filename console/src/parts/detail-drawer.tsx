import { Drawer, Skeleton, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useWords } from "../words/language.ts";
import { ErrorDisplay } from "./error-display.tsx";
import { words } from "./words.ts";

type Props = {
  readonly title: ReactNode;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** One entry of a list, beside the list. The page keeps in its address which one it is. */
export function DetailDrawer({ title, isLoading, error, onClose, children }: Props) {
  const w = useWords(words);
  // The key Escape closes what is in front, and only that.
  const close = () => {
    if (document.querySelectorAll('[role="dialog"]').length < 2) onClose();
  };
  const hasFailed = error !== null && error !== undefined;
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size="lg"
      styles={{ title: { fontSize: "1.1875rem", fontWeight: 640 } }}
      title={title}
      closeButtonProps={{ "aria-label": w.close }}
      overlayProps={{ backgroundOpacity: 0.35 }}
    >
      <Stack gap="lg" pb="xl">
        <ErrorDisplay error={error} />
        {isLoading && !hasFailed && (
          <Stack role="status" aria-label={w.loading}>
            <Skeleton h={72} radius="md" />
            <Skeleton h={180} radius="md" />
          </Stack>
        )}
        {!isLoading && !hasFailed && children}
      </Stack>
    </Drawer>
  );
}
