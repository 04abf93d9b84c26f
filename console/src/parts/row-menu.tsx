import { ActionIcon, type ActionIconProps, Menu, Tooltip } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import type { ReactNode } from "react";

type Props = {
  readonly label: string;
  /** How its button looks where it stands among others, such as in the head of a page. */
  readonly look?: Pick<ActionIconProps, "size" | "variant">;
  readonly children: ReactNode;
};

/** What one can do with a row, or with the one thing that a page is about. */
export function RowMenu({ label, look, children }: Props) {
  return (
    <Menu position="bottom-end" width={250}>
      <Menu.Target>
        <Dots label={label} {...look} />
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

/** Whatever the menu gives to its target belongs to the button, not to its hint. */
function Dots({ label, ...rest }: ActionIconProps & { readonly label: string }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" {...rest} aria-label={label}>
        <IconDots size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
