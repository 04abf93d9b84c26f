import { Menu } from "@mantine/core";
import {
  IconDots,
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconSend,
  IconTrash,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { ScopedIcon } from "../parts/scoped.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { words as deliveryWords } from "./deliveries/words.ts";
import { page } from "./page.ts";
import { deleteWebhook, nameOf, updateWebhook, type Webhook, webhooksOf } from "./webhook.ts";
import { words } from "./words.ts";

/** Everything that can be done to one webhook. */
export function WebhookMenu({ webhook, size }: { webhook: Webhook; size?: number }) {
  const w = useWords(words);
  const d = useWords(deliveryWords);
  const [, setSearch] = usePageSearch(page);
  const flip = useSwitch();
  const remove = useDelete();
  const { id, enabled } = webhook;
  const step = (change: Parameters<typeof setSearch>[0]) => () =>
    setSearch(change, { isStep: true });
  const items: readonly (readonly [string, ReactNode, () => void])[] = [
    [w.testNow, <IconSend key="test" size={16} stroke={1.6} />, step({ test: id })],
    [w.edit, <IconPencil key="edit" size={16} stroke={1.6} />, step({ edit: id })],
    [w.rotate, <IconRefresh key="rotate" size={16} stroke={1.6} />, step({ rotate: id })],
    [
      d.recover,
      <IconHistory key="recover" size={16} stroke={1.6} />,
      step({ recover: id, job: undefined }),
    ],
    [
      enabled ? w.turnOff : w.turnOn,
      enabled ? (
        <IconPlayerPause key="off" size={16} stroke={1.6} />
      ) : (
        <IconPlayerPlay key="on" size={16} stroke={1.6} />
      ),
      () => void flip(webhook),
    ],
  ];
  return (
    <Menu position="bottom-end" width={250}>
      <Menu.Target>
        <ScopedIcon
          operation="webhook.update"
          label={w.actions(nameOf(webhook))}
          {...(size === undefined ? {} : { size, variant: "default" })}
        >
          <IconDots size={18} />
        </ScopedIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(([label, icon, act]) => (
          <Menu.Item key={label} leftSection={icon} onClick={act}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} stroke={1.6} />}
          onClick={() => remove(webhook)}
        >
          {w.deleteIt}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Switches a webhook on or off, and offers to take it back. */
export function useSwitch(): (webhook: Webhook) => Promise<void> {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const set = async (id: string, enabled: boolean) => {
    await updateWebhook(tenantId, id, { enabled });
    await queries.invalidateQueries({ queryKey: webhooksOf(tenantId) });
  };
  return async (webhook) => {
    const { id, enabled } = webhook;
    const name = nameOf(webhook);
    try {
      await set(id, !enabled);
      toast({
        message: enabled ? w.turnedOff(name) : w.turnedOn(name),
        undo: () => set(id, enabled),
      });
    } catch (error) {
      toastProblem(error);
    }
  };
}

function useDelete(): (webhook: Webhook) => void {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [search, setSearch] = usePageSearch(page);
  return (webhook) => {
    const name = nameOf(webhook);
    confirm({
      title: w.deleteTitle(name),
      text: w.deleteText,
      verb: w.deleteIt,
      isHarmful: true,
      act: async () => {
        await deleteWebhook(tenantId, webhook.id);
        if (search.id !== undefined) setSearch({ id: undefined, delivery: undefined });
        await queries.invalidateQueries({ queryKey: webhooksOf(tenantId) });
        toast({ message: w.deleted(name) });
      },
    });
  };
}
