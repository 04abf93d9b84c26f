import { Anchor, Group, Skeleton, Text } from "@mantine/core";
import { IconEye, IconEyeOff, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { confirm } from "../parts/confirm.tsx";
import { CopyIcon } from "../parts/copy.tsx";
import { DetailDrawer } from "../parts/detail-drawer.tsx";
import { DownloadButton } from "../parts/download-button.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { Facts } from "../parts/facts.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import classes from "./enrolment-links.module.css";
import {
  deleteLink,
  drawLink,
  type EnrolmentLink,
  linksOf,
  qrPath,
  settable,
  updateLink,
} from "./link.ts";
import { LinkState } from "./link-state.tsx";
import { page } from "./page.ts";
import { words } from "./words.ts";

type Props = {
  readonly link: EnrolmentLink | undefined;
  readonly error: unknown;
  readonly onClose: () => void;
  readonly onEdit: () => void;
};

export function LinkDrawer({ link, error, onClose, onEdit }: Props) {
  const w = useWords(words);
  return (
    <DetailDrawer
      title={link?.code ?? w.details}
      isLoading={link === undefined}
      error={error}
      onClose={onClose}
    >
      {link !== undefined && (
        <>
          <Picture link={link} />
          <LinkFacts link={link} />
          <Actions link={link} onEdit={onEdit} />
        </>
      )}
    </DetailDrawer>
  );
}

/** What one prints, and where it leads. */
function Picture({ link: { code, url } }: { link: EnrolmentLink }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const { data, error } = useQuery({
    queryKey: [...linksOf(tenantId), "qr", code],
    queryFn: () => drawLink(tenantId, code),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      {error !== null && <ErrorDisplay error={error} />}
      {data === undefined && error === null && <Skeleton w={224} h={224} radius="md" />}
      {data !== undefined && <img className={classes.code} src={data} alt={w.qr(code)} />}
      <Group gap={4} wrap="nowrap">
        <code className={classes.address}>{url}</code>
        <CopyIcon value={url} />
      </Group>
      <Group gap="xs">
        <DownloadButton
          operation="enrolment-link.draw"
          path={qrPath(tenantId, code)}
          fileName={`${code}.svg`}
        >
          {w.download}
        </DownloadButton>
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
          {w.visit}
        </Anchor>
      </Group>
    </>
  );
}

function LinkFacts({ link }: { link: EnrolmentLink }) {
  const w = useWords(words);
  const format = useFormat();
  const { visits, enrolments, passType, storeId, source, createdAt } = link;
  return (
    <Facts
      facts={[
        [w.state, <LinkState key="state" link={link} />],
        [w.visits, format.number(visits)],
        [
          w.enrolments,
          <span key="enrolments">
            {format.number(enrolments)}
            {visits > 0 && (
              <Text size="sm" c="dimmed" component="span">
                {" "}
                {w.share(format.percent(Math.min(1, enrolments / visits)))}
              </Text>
            )}
          </span>,
        ],
        [w.passType, passType],
        [w.store, storeId],
        [w.sourceName, source],
        [w.created, format.moment(createdAt)],
      ]}
    />
  );
}

function Actions({ link, onEdit }: { link: EnrolmentLink; onEdit: () => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [, setSearch] = usePageSearch(page);
  const { code, enabled } = link;
  const send = async (change: ReturnType<typeof settable>) => {
    await updateLink(tenantId, code, change);
    await queries.invalidateQueries({ queryKey: linksOf(tenantId) });
  };
  const turn = async () => {
    try {
      await send({ ...settable(link), enabled: !enabled });
      const message = enabled ? w.closed(code) : w.reopened(code);
      toast({ message, undo: () => send(settable(link)) });
    } catch (error) {
      toastProblem(error);
    }
  };
  const remove = () =>
    confirm({
      title: w.removeTitle(code),
      text: w.removeText,
      verb: w.remove,
      isHarmful: true,
      act: async () => {
        await deleteLink(tenantId, code);
        setSearch({ link: undefined });
        await queries.invalidateQueries({ queryKey: linksOf(tenantId) });
        toast({ message: w.removed(code) });
      },
    });
  return (
    <Group gap="xs">
      <ScopedButton
        operation="enrolment-link.update"
        variant="default"
        leftSection={<IconPencil size={16} stroke={1.6} />}
        onClick={onEdit}
      >
        {w.edit}
      </ScopedButton>
      <ScopedButton
        operation="enrolment-link.update"
        variant="default"
        leftSection={
          enabled ? <IconEyeOff size={16} stroke={1.6} /> : <IconEye size={16} stroke={1.6} />
        }
        onClick={() => void turn()}
      >
        {enabled ? w.close : w.reopen}
      </ScopedButton>
      <ScopedButton
        operation="enrolment-link.delete"
        variant="light"
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={remove}
      >
        {w.remove}
      </ScopedButton>
    </Group>
  );
}
