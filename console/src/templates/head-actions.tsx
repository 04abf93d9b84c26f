import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import {
  IconArchive,
  IconDeviceFloppy,
  IconDots,
  IconDownload,
  IconFilePlus,
  IconHistory,
  IconPhotoPlus,
  IconTrash,
} from "@tabler/icons-react";
import { useState } from "react";
import { useMissingScope } from "../api/rights.ts";
import { useOfferActions } from "../frame/page-actions.ts";
import { confirm } from "../parts/confirm.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { words as partWords } from "../parts/words.ts";
import { useWords } from "../words/language.ts";
import { discardDraft, downloadArchive, testFiles, uploadArchive } from "./configuration.ts";
import { forgetAll } from "./edits.ts";
import { offerDownload, pickFile, readBase64 } from "./pick-file.ts";
import type { WorkingSet } from "./use-working-set.ts";
import { words } from "./words.ts";

type Props = {
  readonly working: WorkingSet;
  readonly onNewFile: () => void;
  readonly onOpen: (path: string) => void;
  readonly onShow: (dialog: "changes" | "history") => void;
};

export function HeadActions(props: Props) {
  const w = useWords(words);
  const { working, onShow } = props;
  const { save, test, isSaving, isTesting } = useWork(working);
  // Also from within the editor.
  useHotkeys([["mod+S", () => void save()]], [], true);
  useOfferActions([
    { id: "tenant.patch", label: w.save, onClick: () => void save() },
    { id: "tenant.test", label: w.test, onClick: () => void test() },
    { id: "tenant.publish", label: w.publish, onClick: () => onShow("changes") },
    { id: "tenant.history", label: w.history, onClick: () => onShow("history") },
  ]);
  return (
    <>
      <MoreMenu {...props} />
      <ScopedButton
        operation="tenant.test"
        variant="default"
        loading={isTesting}
        onClick={() => void test()}
      >
        {w.test}
      </ScopedButton>
      <ScopedButton
        operation="tenant.patch"
        variant="default"
        leftSection={<IconDeviceFloppy size={18} stroke={1.6} />}
        loading={isSaving}
        disabled={!working.isDirty}
        onClick={() => void save()}
      >
        {w.save}
      </ScopedButton>
      <ScopedButton
        operation="tenant.publish"
        disabled={!working.isDirty && !working.isDraft}
        onClick={() => onShow("changes")}
      >
        {w.publish}
      </ScopedButton>
    </>
  );
}

/** Saving and testing. Only what is saved can be tested as a whole. */
function useWork(working: WorkingSet) {
  const w = useWords(words);
  const maySave = useMissingScope("tenant.patch") === undefined;
  const [isSaving, setSaving] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const save = async () => {
    if (!maySave || isSaving) return;
    setSaving(true);
    try {
      if (await working.save()) toast({ message: w.saved });
    } catch (error) {
      toastProblem(error);
    } finally {
      setSaving(false);
    }
  };
  const test = async () => {
    setTesting(true);
    try {
      if (maySave) await working.save();
      const { findings } = await testFiles(working.tenantId);
      working.setTested(findings);
    } catch (error) {
      toastProblem(error);
    } finally {
      setTesting(false);
    }
  };
  return { save, test, isSaving, isTesting };
}

const IMAGES = "image/png,image/jpeg,image/webp";

function MoreMenu({ working, onNewFile, onOpen, onShow }: Props) {
  const w = useWords(words);
  const parts = useWords(partWords);
  const missing = useMissingScope("tenant.patch");
  const mayChange = missing === undefined;
  const { tenantId, isDraft } = working;
  const attempt = (work: () => Promise<unknown>) => () => void work().catch(toastProblem);
  const uploadImage = async () => {
    const file = await pickFile(IMAGES);
    if (file === undefined) return;
    const path = `images/${file.name.toLowerCase().replace(/[^a-z0-9._-]+/g, "-")}`;
    working.edit(path, { base64: await readBase64(file) });
    onOpen(path);
    toast({ message: w.uploadedImage(path) });
  };
  const uploadZip = async () => {
    const archive = await pickFile(".zip,application/zip");
    if (archive === undefined) return;
    confirm({
      title: w.replaceTitle,
      text: w.replaceText,
      verb: w.replace,
      act: async () => {
        await uploadArchive(tenantId, archive);
        forgetAll(tenantId);
        await working.reload();
        toast({ message: w.uploaded });
      },
    });
  };
  const downloadZip = async () => {
    const name = `${tenantId}${isDraft ? "-draft" : ""}.zip`;
    offerDownload(name, await downloadArchive(tenantId, isDraft));
  };
  const discard = () =>
    confirm({
      title: w.discardTitle,
      text: w.discardText,
      verb: w.discard,
      isHarmful: true,
      act: async () => {
        if (isDraft) await discardDraft(tenantId);
        forgetAll(tenantId);
        await working.reload();
        toast({ message: w.discarded });
      },
    });
  const icon = { size: 16, stroke: 1.6 };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Tooltip label={w.more}>
          <ActionIcon variant="default" size={36} aria-label={w.more}>
            <IconDots size={18} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {missing !== undefined && <Menu.Label>{parts.lacks(missing)}</Menu.Label>}
        <Menu.Item
          leftSection={<IconFilePlus {...icon} />}
          disabled={!mayChange}
          onClick={onNewFile}
        >
          {w.newFile}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconPhotoPlus {...icon} />}
          disabled={!mayChange}
          onClick={attempt(uploadImage)}
        >
          {w.uploadImage}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconHistory {...icon} />} onClick={() => onShow("history")}>
          {w.history}
        </Menu.Item>
        <Menu.Item leftSection={<IconDownload {...icon} />} onClick={attempt(downloadZip)}>
          {w.downloadZip}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArchive {...icon} />}
          disabled={!mayChange}
          onClick={attempt(uploadZip)}
        >
          {w.uploadZip}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash {...icon} />}
          disabled={!mayChange || (!isDraft && !working.isDirty)}
          onClick={discard}
        >
          {w.discard}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
