import { Center, Paper, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useDocumentTitle } from "../parts/document-title.ts";
import { Brand } from "./brand.tsx";

/** A page that belongs to no tenant, and so has no navigation around it. */
export function Outside({ children }: { readonly children: ReactNode }) {
  return (
    <Center component="main" mih="100dvh" p="md" bg="var(--paper)">
      <Paper withBorder p="xl" maw={460} w="100%" radius="lg">
        <Stack>
          <Brand />
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}

export function OutsideTitle({ children }: { readonly children: string }) {
  useDocumentTitle(children);
  return <Title order={1}>{children}</Title>;
}
