import { Kbd, Modal, Stack, Table, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { useGoTo } from "../navigation.tsx";
import { pages } from "../pages.ts";
import { Later } from "../parts/later.tsx";
import { useText, useWords } from "../words/language.ts";
import { openPalette, paletteStore, typeIntoPalette } from "./palette-store.ts";
import { words } from "./words.ts";

/** A letter after `g` counts for this long. */
const SEQUENCE_MS = 1_500;
export const HELP_EVENT = "billfold-show-shortcuts";

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

const isDialogOpen = (): boolean => document.querySelector('[role="dialog"]') !== null;

const isPaletteKey = ({ ctrlKey, metaKey, altKey, shiftKey, key }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === "k";

/** Keys that work on every page, and the dialog that lists them. */
export function Shortcuts() {
  const [isShown, setShown] = useState(false);
  const goTo = useGoTo();
  useEffect(() => {
    let sequenceUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event.target)) return;
      if (isPaletteKey(event)) {
        event.preventDefault();
        return openPalette();
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (paletteStore.getState().opened && event.key.length === 1) {
        event.preventDefault();
        return typeIntoPalette(event.key);
      }
      if (isDialogOpen()) return;
      const isSecond = performance.now() < sequenceUntil;
      sequenceUntil = event.key === "g" ? performance.now() + SEQUENCE_MS : 0;
      const page = isSecond ? pages.find(({ letter }) => letter === event.key) : undefined;
      if (page !== undefined) goTo(page);
      else if (event.key === "?") setShown(true);
      else if (event.key === "/") document.querySelector<HTMLElement>("[data-filter]")?.focus();
      else return;
      event.preventDefault();
    };
    const show = () => setShown(true);
    addEventListener("keydown", onKey);
    addEventListener(HELP_EVENT, show);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener(HELP_EVENT, show);
    };
  }, [goTo]);
  return (
    <Later>
      <HelpDialog opened={isShown} onClose={() => setShown(false)} />
    </Later>
  );
}

function HelpDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const w = useWords(words);
  const text = useText();
  const lettered = pages.filter(({ letter }) => letter !== undefined);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={w.shortcuts}
      closeButtonProps={{ "aria-label": w.close }}
    >
      <Stack>
        <KeyList
          title={w.anywhere}
          rows={[
            [["Ctrl", "K"], w.findLong],
            [["?"], w.thisHelp],
            ...lettered.map(
              ({ letter, title }): KeyRow => [["g", w.thenLetter, letter ?? ""], text(title)],
            ),
          ]}
        />
        <KeyList
          title={w.onLists}
          rows={[
            [["/"], w.focusFilter],
            [["↑", "↓"], w.moveRows],
            [["Enter"], w.openRow],
          ]}
        />
      </Stack>
    </Modal>
  );
}

type KeyRow = readonly [readonly string[], string];

function KeyList({ title, rows }: { title: string; rows: readonly KeyRow[] }) {
  const w = useWords(words);
  return (
    <div>
      <Title order={3} mb="xs">
        {title}
      </Title>
      <Table verticalSpacing={6} horizontalSpacing={0}>
        <Table.Tbody>
          {rows.map(([keys, meaning]) => (
            <Table.Tr key={meaning}>
              <Table.Td>{meaning}</Table.Td>
              <Table.Td ta="right">
                {keys.map((key) =>
                  key === w.thenLetter ? (
                    <Text key={key} span size="sm" c="dimmed" mx={6}>
                      {key}
                    </Text>
                  ) : (
                    <Kbd key={key} ml={4}>
                      {key}
                    </Kbd>
                  ),
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
