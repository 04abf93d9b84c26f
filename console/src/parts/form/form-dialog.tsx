import { Modal, type ModalProps, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { type Operation, useMissingScope } from "../../api/rights.ts";
import { useWords } from "../../words/language.ts";
import { confirm } from "../confirm.tsx";
import { words } from "../words.ts";

type Props = Pick<ModalProps, "opened" | "title" | "size"> & {
  /** What the form does at the API. Without its scope the dialog says so and has no form. */
  readonly operation: Operation;
  readonly onClose: () => void;
  /** Asks before it throws away what was typed. */
  readonly isDirty?: boolean;
  readonly children: ReactNode;
};

/**
 * A dialog with a form, which is not closed by accident. Addresses open dialogs, too (`?new=yes`), also
 * for people whose button for it is off: they would type what the API then refuses.
 */
export function FormDialog({ operation, isDirty = false, onClose, children, ...rest }: Props) {
  const w = useWords(words);
  const missing = useMissingScope(operation);
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
    >
      {missing === undefined ? children : <Text>{w.lacks(missing)}</Text>}
    </Modal>
  );
}
