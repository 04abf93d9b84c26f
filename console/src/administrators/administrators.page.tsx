import { Menu, Modal, Text } from "@mantine/core";
import {
  IconLink,
  IconPencil,
  IconTrash,
  IconUserCheck,
  IconUserOff,
  IconUserPlus,
  IconUsersGroup,
} from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePageSearch } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { ListPage } from "../parts/list-page.tsx";
import { RowMenu } from "../parts/row-menu.tsx";
import { ScopedMenuItem } from "../parts/scoped-menu-item.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { words as partWords } from "../parts/words.ts";
import { useWords } from "../words/language.ts";
import {
  ADMINISTRATORS,
  type Administrator,
  fieldsOf,
  getAdministrator,
  type Invitation,
  listAdministrators,
  makeInvitation,
  removeAdministrator,
} from "./administrator.ts";
import { useAdministratorColumns } from "./administrator-columns.tsx";
import { EditDialog, InviteDialog, useChange, useIsSelf } from "./administrator-dialogs.tsx";
import { InvitationShown } from "./invitation-shown.tsx";
import { page } from "./page.ts";
import { words } from "./words.ts";

const PATH = "/api/administrators";
const EXAMPLE = { name: "Ana Ruiz", email: "ana@example.com", role: "global" };

type Made = { readonly name: string; readonly invitation: Invitation };

export function Page() {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  const [made, setMade] = useState<Made>();
  return (
    <ListPage<Administrator>
      page={page}
      words={w}
      path={PATH}
      icon={IconUsersGroup}
      create={{
        operation: "administrator.create",
        label: w.invite,
        icon: IconUserPlus,
        example: { method: "POST", path: PATH, body: EXAMPLE },
      }}
      above={<OpenedAdministrator />}
      columns={useAdministratorColumns()}
      keyOf={({ id }) => id}
      queryKey={ADMINISTRATORS}
      live={[]}
      isReadOnReturn
      load={listAdministrators}
      search={search}
      onSearch={setSearch}
      filterOf={(value) => [{ field: "email", operator: "contains", value }]}
      onOpen={({ id }) => setSearch({ edit: id }, { isStep: true })}
      rowActions={(administrator) => <Actions administrator={administrator} onMade={setMade} />}
    >
      <InviteDialog
        key={search.new}
        opened={search.new === "yes"}
        onClose={() => setSearch({ new: undefined })}
      />
      <NewLinkDialog made={made} onClose={() => setMade(undefined)} />
    </ListPage>
  );
}

function NewLinkDialog({ made, onClose }: { made: Made | undefined; onClose: () => void }) {
  const w = useWords(words);
  const parts = useWords(partWords);
  return (
    <Modal
      opened={made !== undefined}
      onClose={onClose}
      // A click beside it must not lose what is shown this one time.
      closeOnClickOutside={false}
      title={w.sendLink}
      size="lg"
      closeButtonProps={{ "aria-label": parts.close }}
    >
      {made !== undefined && <InvitationShown {...made} onDone={onClose} />}
    </Modal>
  );
}

/** The dialog of the account that the address names. */
function OpenedAdministrator() {
  const [{ edit }, setSearch] = usePageSearch(page);
  const { data: administrator, error } = useQuery({
    queryKey: [...ADMINISTRATORS, "one", edit],
    queryFn: () => getAdministrator(edit ?? ""),
    enabled: edit !== undefined,
    // A form begins with what is there now, not with what was there when it was last open.
    gcTime: 0,
  });
  if (edit === undefined) return undefined;
  if (error !== null) return <ErrorDisplay error={error} />;
  if (administrator === undefined) return undefined;
  const close = () => setSearch({ edit: undefined });
  return <EditDialog key={edit} administrator={administrator} onClose={close} />;
}

type ActionsProps = {
  readonly administrator: Administrator;
  readonly onMade: (made: Made) => void;
};

function Actions({ administrator, onMade }: ActionsProps) {
  const w = useWords(words);
  const [, setSearch] = usePageSearch(page);
  const change = useChange();
  const remove = useRemove();
  const { id, name, disabled } = administrator;
  const switchSignIn = () => {
    const fields = { ...fieldsOf(administrator), disabled: !disabled };
    const message = disabled ? w.enabledNow(name) : w.disabledNow(name);
    change(administrator, fields, message).catch(toastProblem);
  };
  const newLink = () =>
    confirm({
      title: w.newLinkTitle(name),
      text: w.newLinkText,
      verb: w.makeLink,
      act: async () => onMade({ name, invitation: await makeInvitation(id) }),
    });
  return (
    <RowMenu label={w.actions(name)}>
      <ScopedMenuItem
        operation="administrator.update"
        leftSection={<IconPencil size={16} stroke={1.6} />}
        onClick={() => setSearch({ edit: id }, { isStep: true })}
      >
        {w.edit}
      </ScopedMenuItem>
      <ScopedMenuItem
        operation="administrator.invite"
        leftSection={<IconLink size={16} stroke={1.6} />}
        onClick={newLink}
      >
        {w.newLink}
      </ScopedMenuItem>
      <ScopedMenuItem
        operation="administrator.update"
        leftSection={
          disabled ? (
            <IconUserCheck size={16} stroke={1.6} />
          ) : (
            <IconUserOff size={16} stroke={1.6} />
          )
        }
        onClick={switchSignIn}
      >
        {disabled ? w.enable : w.disable}
      </ScopedMenuItem>
      <Menu.Divider />
      <ScopedMenuItem
        operation="administrator.delete"
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={() => remove(administrator)}
      >
        {w.remove}
      </ScopedMenuItem>
    </RowMenu>
  );
}

function useRemove(): (administrator: Administrator) => void {
  const w = useWords(words);
  const queries = useQueryClient();
  const isSelf = useIsSelf();
  return (administrator) => {
    const { id, name, email } = administrator;
    const isOwn = isSelf(administrator);
    confirm({
      title: w.removeTitle(name),
      text: (
        <>
          {isOwn && (
            <Text fw={600} mb="xs">
              {w.removeSelf}
            </Text>
          )}
          {w.removeText}
        </>
      ),
      verb: w.remove,
      isHarmful: true,
      ...(isOwn ? { typed: email } : {}),
      act: async () => {
        await removeAdministrator(id);
        await queries.invalidateQueries({ queryKey: ADMINISTRATORS });
        toast({ message: w.removed(name) });
      },
    });
  };
}
