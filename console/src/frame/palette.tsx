import { useMantineColorScheme } from "@mantine/core";
import { Spotlight, type SpotlightActionGroupData } from "@mantine/spotlight";
import {
  IconBook,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
} from "@tabler/icons-react";
import { useGoTo } from "../navigation.tsx";
import { pages } from "../pages.ts";
import { signOut } from "../session/session.ts";
import { settings } from "../settings.ts";
import { useText, useWords } from "../words/language.ts";
import { usePageActions } from "./page-actions.ts";
import { paletteStore, setPaletteField, writeEarlyLetters } from "./palette-store.ts";
import { HELP_EVENT } from "./shortcuts.tsx";
import { words } from "./words.ts";

const ICON = { size: 18, stroke: 1.6 };

/** Ctrl-K or Cmd-K: every page, the actions of the page on the screen, and those of the frame. */
export function Palette() {
  const w = useWords(words);
  return (
    <Spotlight
      actions={useGroups()}
      store={paletteStore}
      // The key is listened to before the palette is drawn: see `shortcuts.tsx`.
      shortcut={null}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound={w.nothingFound}
      searchProps={{
        leftSection: <IconSearch {...ICON} />,
        placeholder: w.findLong,
        "aria-label": w.findLong,
        ref: setPaletteField,
        onFocus: writeEarlyLetters,
      }}
    />
  );
}

function useGroups(): SpotlightActionGroupData[] {
  const w = useWords(words);
  const text = useText();
  const goTo = useGoTo();
  const { setColorScheme } = useMantineColorScheme();
  const ofPage = usePageActions();
  return [
    ...(ofPage.length === 0 ? [] : [{ group: w.doIt, actions: ofPage }]),
    {
      group: w.goTo,
      actions: pages
        .filter(({ isInner }) => isInner !== true)
        .map((page) => ({
          id: `page.${page.id}`,
          label: text(page.title),
          keywords: text(page.keywords),
          leftSection: <page.icon {...ICON} />,
          onClick: () => goTo(page),
        })),
    },
    {
      group: "Billfold",
      actions: [
        {
          id: "reference",
          label: w.reference,
          leftSection: <IconBook {...ICON} />,
          onClick: () => location.assign(`${settings.baseUrl}/docs`),
        },
        {
          id: "light",
          label: `${w.appearance}: ${w.light}`,
          leftSection: <IconSun {...ICON} />,
          onClick: () => setColorScheme("light"),
        },
        {
          id: "dark",
          label: `${w.appearance}: ${w.dark}`,
          leftSection: <IconMoon {...ICON} />,
          onClick: () => setColorScheme("dark"),
        },
        {
          id: "shortcuts",
          label: w.shortcuts,
          leftSection: <IconKeyboard {...ICON} />,
          onClick: () => dispatchEvent(new Event(HELP_EVENT)),
        },
        {
          id: "sign-out",
          label: w.signOut,
          leftSection: <IconLogout {...ICON} />,
          onClick: signOut,
        },
      ],
    },
  ];
}
