import {
  ActionIcon,
  AppShell,
  Badge,
  Burger,
  Group,
  Kbd,
  Tooltip,
  UnstyledButton,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { Outlet, useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { useMissingScope } from "../api/rights.ts";
import { useLive, useLiveStatus } from "../live/live.ts";
import { PageLink, useTenantId } from "../navigation.tsx";
import { pages } from "../pages.ts";
import { Later } from "../parts/later.tsx";
import { settings } from "../settings.ts";
import { useText, useWords } from "../words/language.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import classes from "./frame.module.css";
import { GROUP_NAMES, GROUPS } from "./groups.ts";
import { NewVersion } from "./new-version.tsx";
import { Palette } from "./palette.tsx";
import { openPalette } from "./palette-store.ts";
import { Shortcuts } from "./shortcuts.tsx";
import { TenantSwitcher } from "./tenant-switcher.tsx";
import { words } from "./words.ts";

/** What stands around every page of a tenant. */
export function Frame() {
  const w = useWords(words);
  const [isOpen, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const tenantId = useTenantId();
  useLive(tenantId, useMissingScope("event.stream") === undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes at every change of the address.
  useEffect(close, [pathname]);
  return (
    <AppShell
      className={classes.shell}
      header={{ height: { base: 56, md: 0 } }}
      navbar={{ width: 256, breakpoint: "md", collapsed: { mobile: !isOpen } }}
      padding="lg"
    >
      <a className={classes.skip} href="#content">
        {w.skip}
      </a>
      <AppShell.Header className={classes.header} hiddenFrom="md">
        <Group h="100%" px="md" justify="space-between">
          <Group gap="sm">
            <Burger
              size="sm"
              opened={isOpen}
              onClick={toggle}
              aria-label={isOpen ? w.closeNavigation : w.openNavigation}
              aria-expanded={isOpen}
            />
            <Brand />
          </Group>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            onClick={openPalette}
            aria-label={w.findLong}
          >
            <IconSearch size={20} stroke={1.6} />
          </ActionIcon>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.navbar}
        data-closed={!isOpen || undefined}
        p="sm"
        aria-label={w.navigation}
      >
        <Sidebar />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div className={classes.main}>
          <Outlet />
        </div>
      </AppShell.Main>
      <Later>
        <Palette />
      </Later>
      <Shortcuts />
      <NewVersion />
    </AppShell>
  );
}

function Sidebar() {
  const w = useWords(words);
  return (
    <>
      <Group justify="space-between" px="xs" py={6} visibleFrom="md">
        <Brand />
        {settings.environment === "staging" && (
          <Badge variant="light" color="orange" tt="none">
            {w.staging}
          </Badge>
        )}
      </Group>
      <TenantSwitcher />
      <UnstyledButton className={`${classes.plate} ${classes.find}`} onClick={openPalette}>
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span style={{ flex: 1 }}>{w.find}</span>
        <Kbd size="xs">{/mac/i.test(navigator.userAgent) ? "⌘ K" : "Ctrl K"}</Kbd>
      </UnstyledButton>
      <div style={{ flex: 1, overflowY: "auto", marginTop: "0.5rem" }}>
        {GROUP_NAMES.map((name) => (
          <NavigationGroup key={name} name={name} />
        ))}
      </div>
      <LiveMark />
      <AccountMenu />
    </>
  );
}

function NavigationGroup({ name }: { name: keyof typeof GROUPS }) {
  const text = useText();
  const inGroup = pages.filter(({ group, isInner }) => group === name && isInner !== true);
  if (inGroup.length === 0) return undefined;
  const label = GROUPS[name];
  return (
    <>
      {label !== undefined && <div className={classes.groupLabel}>{text(label)}</div>}
      {inGroup.map((page) => (
        <PageLink key={page.id} page={page} className={classes.link}>
          <page.icon size={18} stroke={1.6} />
          {text(page.title)}
        </PageLink>
      ))}
    </>
  );
}

function LiveMark() {
  const w = useWords(words);
  const status = useLiveStatus();
  const label = { on: w.liveOn, connecting: w.liveConnecting, off: w.liveOff }[status];
  const short = label.split(":")[0];
  return (
    <Tooltip label={label}>
      <Group gap={8} px="sm" py={6} role="status" aria-label={label} fz="xs" c="dimmed">
        <span className={classes.dot} data-live={status} />
        {short}
      </Group>
    </Tooltip>
  );
}
