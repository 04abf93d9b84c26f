import { Button, Menu } from "@mantine/core";
import {
  IconArrowsExchange,
  IconBan,
  IconCircleCheck,
  IconCopy,
  IconDeviceMobile,
  IconDots,
  IconExternalLink,
  IconMessage,
  IconPencil,
  IconRefresh,
  IconScan,
  IconTrash,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useOfferActions } from "../../frame/page-actions.ts";
import { useGoTo, usePageSearch, useTenantId, useToastLink } from "../../navigation.tsx";
import type { Search } from "../../page.ts";
import { pageById } from "../../pages.ts";
import { confirm } from "../../parts/confirm.tsx";
import { CurlIcon } from "../../parts/copy.tsx";
import { ScopedButton } from "../../parts/scoped.tsx";
import { ScopedMenuItem } from "../../parts/scoped-menu-item.tsx";
import { toast, toastProblem } from "../../parts/toast.tsx";
import { words as partWords } from "../../parts/words.ts";
import { useWords } from "../../words/language.ts";
import { page as listPage } from "../page.ts";
import { nameOf, type Pass, type PassChange, passesOf } from "../pass.ts";
import { erasePass, passKey, updatePass } from "./calls.ts";
import { page } from "./page.ts";
import { words } from "./words.ts";

const ICON = { size: 16, stroke: 1.6 };

export function PassActions({ pass }: { readonly pass: Pass }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [, setSearch] = usePageSearch(page);
  const open = (dialog: string) => setSearch({ do: dialog }, { isStep: true });
  useOfferActions([
    { id: "pass.update", label: w.update, onClick: () => open("update") },
    { id: "pass.notify", label: w.notify, onClick: () => open("notify") },
    { id: "pass.scan", label: w.scan, onClick: () => open("scan") },
  ]);
  return (
    <>
      <CurlIcon method="GET" path={`/api/${tenantId}/passes/${pass.id}`} />
      <ScopedButton
        operation="pass.notify"
        variant="default"
        leftSection={<IconMessage {...ICON} />}
        onClick={() => open("notify")}
      >
        {w.notify}
      </ScopedButton>
      <ScopedButton
        operation="pass.update"
        leftSection={<IconPencil {...ICON} />}
        onClick={() => open("update")}
      >
        {w.update}
      </ScopedButton>
      <MoreMenu pass={pass} onOpen={open} />
    </>
  );
}

type MenuProps = { readonly pass: Pass; readonly onOpen: (dialog: string) => void };

function MoreMenu({ pass, onOpen }: MenuProps) {
  const w = useWords(words);
  const change = useChange(pass);
  const erase = useErase(pass);
  const isActive = pass.status === "active";
  return (
    <Menu position="bottom-end" width={270}>
      <Menu.Target>
        <Button variant="default" px="sm" aria-label={w.more}>
          <IconDots size={18} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ScopedMenuItem
          operation="scan.create"
          leftSection={<IconScan {...ICON} />}
          onClick={() => onOpen("scan")}
        >
          {w.scan}
        </ScopedMenuItem>
        <ScopedMenuItem
          operation="movement.create"
          leftSection={<IconArrowsExchange {...ICON} />}
          onClick={() => onOpen("move")}
        >
          {w.movePrivilege}
        </ScopedMenuItem>
        <ScopedMenuItem
          operation="pass.update"
          leftSection={<IconRefresh {...ICON} />}
          onClick={() => change({}, w.refreshed, undefined, true)}
        >
          {w.refresh}
        </ScopedMenuItem>
        <ScopedMenuItem
          operation="pass.update"
          leftSection={isActive ? <IconBan {...ICON} /> : <IconCircleCheck {...ICON} />}
          onClick={() =>
            isActive
              ? change({ status: "disabled" }, w.disabledNow, { status: "active" })
              : change({ status: "active" }, w.enabledNow, { status: "disabled" })
          }
        >
          {isActive ? w.disable : w.enable}
        </ScopedMenuItem>
        <HolderItems pass={pass} />
        <Menu.Divider />
        <ScopedMenuItem
          operation="pass.delete"
          color="red"
          leftSection={<IconTrash {...ICON} />}
          onClick={erase}
        >
          {w.erase}
        </ScopedMenuItem>
      </Menu.Dropdown>
    </Menu>
  );
}

/** What concerns the phone of the holder. Only who may write sees the links. */
function HolderItems({ pass }: { readonly pass: Pass }) {
  const w = useWords(words);
  const parts = useWords(partWords);
  const goTo = useGoTo();
  const phones = pageById("phones");
  const landing = pass.links?.landing;
  return (
    <>
      {landing !== undefined && (
        <>
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconCopy {...ICON} />}
            onClick={() =>
              void navigator.clipboard
                .writeText(landing)
                .then(() => toast({ message: parts.copied }), toastProblem)
            }
          >
            {w.copyLanding}
          </Menu.Item>
          <Menu.Item
            component="a"
            href={landing}
            target="_blank"
            rel="noreferrer"
            leftSection={<IconExternalLink {...ICON} />}
          >
            {w.openLanding}
          </Menu.Item>
        </>
      )}
      {phones !== undefined && (
        <Menu.Item
          leftSection={<IconDeviceMobile {...ICON} />}
          onClick={() => goTo(phones, { pass: pass.id } as Search)}
        >
          {w.install}
        </Menu.Item>
      )}
    </>
  );
}

/** Changes the pass at once; what can be taken back is offered to be. */
function useChange(pass: Pass) {
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const act = async (change: PassChange, isRefresh: boolean) => {
    const options = isRefresh ? { UpdateMetadata: true } : {};
    await updatePass(tenantId, pass.id, change, options);
    await queries.invalidateQueries({ queryKey: passKey(tenantId, pass.id) });
  };
  return (change: PassChange, message: string, back?: PassChange, isRefresh = false) => {
    const undo = back === undefined ? {} : { undo: () => act(back, false) };
    void act(change, isRefresh).then(() => toast({ message, ...undo }), toastProblem);
  };
}

function useErase(pass: Pass): () => void {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const goTo = useGoTo();
  const linkTo = useToastLink();
  return () =>
    confirm({
      title: w.eraseTitle(nameOf(pass)),
      text: w.eraseText,
      verb: w.erase,
      isHarmful: true,
      typed: nameOf(pass),
      act: async () => {
        await erasePass(tenantId, pass.id);
        goTo(listPage);
        queries.removeQueries({ queryKey: passKey(tenantId, pass.id) });
        await queries.invalidateQueries({ queryKey: passesOf(tenantId) });
        toast({ message: w.erased, link: linkTo("audit") });
      },
    });
}
