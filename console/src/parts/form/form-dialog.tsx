import { Modal, type ModalProps } from "@mantine/core";
import type { ReactNode } from "react";
import { useWords } from "../../words/language.ts";
import { confirm } from "../confirm.tsx";
import { words } from "../words.ts";

type Props = Pick<ModalProps, "opened" | "title" | "size"> & {
  readonly onClose: () => void;
  /** Asks before it throws away what was typed. */
  readonly isDirty?: boolean;
  readonly children: ReactNode;
};

/** A dialog with a form, which is not closed by accident. */
export function FormDialog({ isDirty = false, onClose, ...rest }: Props) {
  const w = useWords(words);
  const close = () => {
    if (!isDirty) return onClose();
    confirm({
      title: w.notSaved,
      text: w.notSavedText,
      verb: w.discard,
      isHarmful: true,
      act: () => {
        onClose();
        return undefined;
      },
    });
  };
  return (
    <Modal
      {...rest}
      onClose={close}
      closeOnClickOutside={!isDirty}
      closeButtonProps={{ "aria-label": w.close }}
    />
  );
}
