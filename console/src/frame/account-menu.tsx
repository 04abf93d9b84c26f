import {
  Avatar,
  type MantineColorScheme,
  Menu,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from "@mantine/core";
import {
  IconBook,
  IconCheck,
  IconDeviceDesktop,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSun,
} from "@tabler/icons-react";
import { signOut, usePerson } from "../session/session.ts";
import { settings } from "../settings.ts";
import type { Language } from "../words/define.ts";
import { setLanguage, useLanguage, useWords } from "../words/language.ts";
import classes from "./frame.module.css";
import { HELP_EVENT } from "./shortcuts.tsx";
import { words } from "./words.ts";

const ICON = { size: 16, stroke: 1.6 };
const NAMES: Readonly<Record<Language, string>> = { en: "English", fr: "Français" };

export function AccountMenu() {
  const w = useWords(words);
  const person = usePerson();
  return (
    <Menu width={260} position="top-start">
      <Menu.Target>
        <UnstyledButton className={classes.plate}>
          <Avatar size={28} name={person.name} color="gray" aria-hidden />
          <span style={{ flex: 1, minWidth: 0 }}>
            <Text size="sm" fw={600} truncate component="span" display="block">
              {person.name}
            </Text>
            <Text size="xs" c="dimmed" truncate component="span" display="block">
              {person.isGlobal ? w.globalRole : w.tenantRole}
            </Text>
          </span>
          <VisuallyHidden>{w.account}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {person.email !== "" && (
          <Menu.Label>
            <Text size="xs" truncate title={person.email}>
              {person.email}
            </Text>
          </Menu.Label>
        )}
        <Choices />
        <Menu.Divider />
        <Menu.Item
          component="a"
          href={`${settings.baseUrl}/docs`}
          leftSection={<IconBook {...ICON} />}
        >
          {w.reference}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconKeyboard {...ICON} />}
          onClick={() => dispatchEvent(new Event(HELP_EVENT))}
        >
          {w.shortcuts}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout {...ICON} />} onClick={signOut}>
          {w.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Appearance and language, each kept in this browser. */
function Choices() {
  const w = useWords(words);
  const language = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes: readonly (readonly [MantineColorScheme, string, typeof IconSun])[] = [
    ["auto", w.system, IconDeviceDesktop],
    ["light", w.light, IconSun],
    ["dark", w.dark, IconMoon],
  ];
  const mark = (isChosen: boolean) => (isChosen ? <IconCheck {...ICON} aria-hidden /> : undefined);
  return (
    <>
      <Menu.Label>{w.appearance}</Menu.Label>
      {schemes.map(([scheme, label, Icon]) => (
        <Menu.Item
          key={scheme}
          closeMenuOnClick={false}
          leftSection={<Icon {...ICON} />}
          rightSection={mark(colorScheme === scheme)}
          aria-current={colorScheme === scheme}
          onClick={() => setColorScheme(scheme)}
        >
          {label}
        </Menu.Item>
      ))}
      <Menu.Label>{w.language}</Menu.Label>
      {(Object.keys(NAMES) as Language[]).map((one) => (
        <Menu.Item
          key={one}
          lang={one}
          closeMenuOnClick={false}
          rightSection={mark(language === one)}
          aria-current={language === one}
          onClick={() => setLanguage(one)}
        >
          {NAMES[one]}
        </Menu.Item>
      ))}
    </>
  );
}
