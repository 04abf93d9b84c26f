import { Menu } from "@mantine/core";
import {
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconSend,
  IconTrash,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ComponentType } from "react";
import type { Operation } from "../api/rights.ts";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { RowMenu } from "../parts/row-menu.tsx";
import { ScopedMenuItem } from "../parts/scoped-menu-item.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { useWords } from "../words/language.ts";
import { words as deliveryWords } from "./deliveries/words.ts";
import { page } from "./page.ts";
import { deleteWebhook, nameOf, updateWebhook, type Webhook, webhooksOf } from "./webhook.ts";
import { words } from "./words.ts";

type Item = {
  readonly operation: Operation;
  readonly label: string;
  readonly icon: ComponentType<{ size?: number; stroke?: number }>;
  readonly onClick: () => void;
};

const IN_HEAD = { size: 36, variant: "default" } as const;

type Props = { readonly webhook: Webhook; readonly isInHead?: boolean };

/** Everything that can be done to one webhook. */
export function WebhookMenu({ webhook, isInHead = false }: Props) {
  const w = useWords(words);
  const remove = useDelete();
  return (
    <RowMenu label={w.actions(nameOf(webhook))} {...(isInHead ? { look: IN_HEAD } : {})}>
      {useItems(webhook).map(({ operation, label, icon: Icon, onClick }) => (
        <ScopedMenuItem
          key={label}
          operation={operation}
          leftSection={<Icon size={16} stroke={1.6} />}
          onClick={onClick}
        >
          {label}
        </ScopedMenuItem>
      ))}
      <Menu.Divider />
      <ScopedMenuItem
        operation="webhook.delete"
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={() => remove(webhook)}
      >
        {w.deleteIt}
      </ScopedMenuItem>
    </RowMenu>
  );
}

function useItems(webhook: Webhook): readonly Item[] {
  const w = useWords(words);
  const d = useWords(deliveryWords);
  const [, setSearch] = usePageSearch(page);
  const flip = useSwitch();
  const { id, enabled } = webhook;
  const step = (change: Parameters<typeof setSearch>[0]) => () =>
    setSearch(change, { isStep: true });
  return [
    { operation: "webhook.test", label: w.testNow, icon: IconSend, onClick: step({ test: id }) },
    { operation: "webhook.update", label: w.edit, icon: IconPencil, onClick: step({ edit: id }) },
    {
      operation: "webhook.rotate-secret",
      label: w.rotate,
      icon: IconRefresh,
      onClick: step({ rotate: id }),
    },
    {
      operation: "webhook.recover",
      label: d.recover,
      icon: IconHistory,
      onClick: step({ recover: id, job: undefined }),
    },
    {
      operation: "webhook.update",
      label: enabled ? w.turnOff : w.turnOn,
      icon: enabled ? IconPlayerPause : IconPlayerPlay,
      onClick: () => void flip(webhook),
    },
  ];
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
